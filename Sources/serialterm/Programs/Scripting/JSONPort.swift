import Framing
import Encodings
import EventLoop
import Observing
import Patterns
import Reconnecting
import SerialCore
import Sessions
import Symbols
import SystemPackage
import Terminal
import TextStages
import TextTools
import Time

/// One port of a program that drives sessions by JSON, with its events and its expectation.
final class JSONPort {
  let port: Port
  private var stateChanges: ObservationToken<SessionEvent>?
  private var counters: ObservationToken<SessionEvent>?
  private var symbols: ObservationToken<SymbolWatch.Answer>?
  private let counterWatch: CounterWatch
  /// The received text that was not matched yet.
  private(set) lazy var text: ReceivedTextWatch = ReceivedTextWatch(on: loop) { [unowned self] in
    text.patterns = []
    let match = $0
    let groups = match.captures.indices.map { match.text($0).map(JSON.string) ?? .null }
    onReport(.matched(.array(groups)))
  }
  /// Converts what the device sends; bytes of a device that sends UTF-8 pass as they are.
  private lazy var decoder = ReceivedDecoder(.utf8, on: loop) { [unowned self] in
    received($0, at: $1)
  }
  /// Converts what is sent; nil until text is sent in another encoding than UTF-8.
  private var writer: EncodingWriter?
  /// The character maps for messages.
  var sentMap = MapList()
  /// Converts messages as a person's are converted.
  private var messageForm = SentForm(endsLines: false)
  private let loop: IOLoop
  private let onReport: (Report) -> Void
  private var subscription: Hub.Subscription?
  /// The form of frames that are reported, and in whose lines expressions are searched; nil
  /// for none.
  var frameForm: ChosenFrameForm? {
    didSet { if frameForm != oldValue { watchFrames() } }
  }
  /// Whether bytes that are no text are reported as `\xHH` in a text, and not as numbers.
  var reportsOnlyText: Bool {
    get { decoder.convertsUTF8 }
    set { decoder.convertsUTF8 = newValue }
  }
  private var frameWatch: FrameWatch?
  private var frames: ObservationToken<Frame>?
  /// The parts of the state that the program watches.
  private(set) lazy var published: PublishedState = PublishedState(
    of: port, on: loop, isCrowded: isCrowded
  ) { [unowned self] in onReport(.event($0.rawValue, $1)) }
  /// Makes received text harmless; nil if the program gets it as it is.
  private var shown: ReceivedDecoder?
  /// The numbers of the device; nil until the program asks for a plot.
  private(set) var plot: ProgramPlot?
  /// The observations of a session that was joined.
  private var joined: [AnyObject] = []
  /// The state of the port that the program knows; nil for none.
  private var publishedState: PublishedPortState?
  private var hasJoined = false
  /// Whether the bytes that are being handled were received before the program joined.
  private var isHistory = false
  /// What became of the screen that was there when the program joined; nil for none.
  private var screen: Screen?
  private let isCrowded: () -> Bool
  /// What waits until the driver has sent the bytes of a command; nil if nothing does.
  private weak var drain: Drain?
  /// Sends a text at intervals. A command that sends comes first: it would never be done otherwise.
  private(set) lazy var repetition = TextRepetition(
    on: loop, isHeldUp: { [unowned self] in drain != nil },
    send: { [unowned self] message, _ throws(Failure) in
      try send(message) { bytes throws(SerialError) in
        try port.session.write(bytes.span.bytes, by: .program)
      }
    },
    onEnd: { [unowned self] _, end in onReport(.event("repetition-ended", end.members)) })

  private enum Screen {
    /// The program has it.
    case shown
    /// The program has got the bytes.
    case passed
  }

  /// A report to the program's controller.
  enum Report {
    /// An event for the program, and its members.
    case event(String, [(String, JSON)])
    /// The expectation's match was received. The value has the groups.
    case matched(JSON)
    /// The bytes of a command were written, and are sent until the drain is done. The controller
    /// keeps the drain.
    case sends(Drain, byteCount: Int)
    /// The port is closed.
    case closed
    /// The program has joined a session, and knows whether it may write.
    case joined
  }

  /// - Parameters:
  ///   - isCrowded: whether the program must read before it gets more.
  ///   - onReport: called with each report.
  init(
    _ port: Port, on loop: IOLoop, isCrowded: @escaping () -> Bool,
    onReport: @escaping (Report) -> Void
  ) {
    self.port = port
    self.loop = loop
    self.isCrowded = isCrowded
    self.onReport = onReport
    counterWatch = CounterWatch(port.session, on: loop)
    stateChanges = port.session.observe(.stateChange) { [unowned self] in
      stateDidChange(to: $0.new)
    }
    counters = port.session.observe(.countersChange) {
      let changes = $0.new.changes(since: $0.old)
      let members = changes.errors.map { ($0.memberName, JSON.integer(Int(changes[$0]))) }
      if !members.isEmpty { onReport(.event("line-errors", members)) }
    }
    symbols = port.symbolAnswers.observe {
      let frames = $0.note.frames.map {
        JSON.object([("function", .string($0.function)), ("place", JSON($0.place))])
      }
      onReport(
        .event("symbols", [("address", .string($0.note.address)), ("frames", .array(frames))]))
    }
    subscription = port.controller.hub.subscribe(as: .view) { [unowned self] in
      decoder.encoding = self.port.controller.encoding
      // Frames are made of bytes.
      decoder.add($0, at: $1)
    }
    observeJoinedSession()
  }

  /// Ends the lending of the port to other programs.
  func takeBack() {
    port.lender.setClaim(false)
    port.model.update { $0.isLending = false }
  }

  // MARK: What the program watches

  /// Publishes from now on what an order says, and nothing else of an earlier one.
  func watch(_ order: JSONCommand.WatchOrder) {
    shown?.flush()
    shown =
      order.showsText
      ? shown
        ?? ReceivedDecoder(.utf8, isHarmless: true, on: loop) { [unowned self] in
          report(.string(String(decoding: $0, as: UTF8.self)), as: "text", at: $1)
        } : nil
    if shown != nil, screen == .passed { port.controller.userSharing.remote?.askForScreen() }
    if order.plots { startPlot() }
    published.begin(order.parts)
  }

  /// Starts to record numbers, if that has not begun.
  func startPlot() { plot = plot ?? ProgramPlot(of: port) }

  // MARK: A session that was joined

  /// Whether the port belongs to a session of another program.
  private var isJoined: Bool { port.model.state.sharing.isJoined }

  /// Whether the session that is being joined has not reported who may write, or the program takes
  /// the pen at once and has not got it.
  var isJoining: Bool {
    if case .closed = port.session.state { return false }
    return isJoined && !hasJoined
  }

  private func noteJoining(_ sharing: Sharing) {
    guard sharing.isJoined, !sharing.isJoining, !hasJoined else { return }
    if port.controller.userSharing.remote?.takesPenAtOnce == true, sharing.mayTake {
      switch sharing.pen {
      case .free, .others: return
      case .mine, .everyone, .nobody: break
      }
    }
    hasJoined = true
    onReport(.joined)
  }

  private func observeJoinedSession() {
    joined = [
      port.model.$state.observe { [unowned self] in
        reportJoinedState($0.new)
        noteJoining($0.new.sharing)
      },
      port.controller.userSharing.remoteNews.observe { [unowned self] in handle($0) },
      port.controller.ends.observe { [unowned self] in
        guard isJoined else { return }
        let reason = port.controller.userSharing.remote?.endReason ?? Failure($0).message
        onReport(.event("ended", [("reason", .string(reason))]))
      },
    ]
  }

  private func reportJoinedState(_ state: TerminalState) {
    guard state.sharing.isJoined,
      let new = PublishedPortState(
        ofJoined: state, farPort: port.controller.userSharing.remote?.portName)
    else { return }
    publish(new)
  }

  private func publish(_ new: PublishedPortState) {
    guard new != publishedState else { return }
    publishedState = new
    onReport(.event("state", new.members))
  }

  private func handle(_ news: RemoteSharing.News) {
    switch news {
    case .history(let bytes, let time, let isOnScreen):
      let moment = Moment.now.moved(to: time)
      reportHistory {
        bytes.withUnsafeBytes {
          plot?.read($0, at: moment)
          if isOnScreen, screen == .shown { return }
          decoder.encoding = port.controller.encoding
          decoder.add($0, at: moment)
        }
      }
    case .screen(let text):
      screen = shown == nil ? .passed : .shown
      reportHistory { text.withUnsafeBytes { shown?.add($0, at: .now) } }
    case .missed(let count):
      plot?.interrupt()
      onReport(.event("missed", [("bytes", .integer(count))]))
    case .userJoined, .joined, .renamed, .ownNameChanged, .left, .penMoved, .asked, .kept, .port,
      .ended:
      break
    }
  }

  private func reportHistory(_ report: () -> Void) {
    isHistory = true
    defer { isHistory = false }
    report()
  }

  // MARK: Text

  /// The bytes to send, those of a text in the encoding of the device.
  ///
  /// - Throws: `EncodingError`, and `UnencodableText` for the first character that the encoding
  ///   does not have.
  func bytes(of content: JSONCommand.Content) throws -> [UInt8] {
    let text: String
    switch content {
    case .bytes(let bytes): return bytes
    case .text(let present): text = present
    }
    let encoding = port.controller.encoding
    if encoding.isUTF8 { return Array(text.utf8) }
    let writer =
      if let present = writer, present.encoding == encoding { present } else {
        try EncodingWriter(encoding)
      }
    self.writer = writer
    var bytes: [UInt8] = []
    try writer.encode(text, into: &bytes)
    return bytes
  }

  /// Sends bytes for a command, and calls `done` when the driver has sent them.
  func write(_ bytes: [UInt8], done: @escaping () -> Void) throws(SerialError) {
    try port.session.write(bytes.span.bytes, by: .program)
    let drain = Drain(port.session, on: loop, patience: nil, done: done)
    self.drain = drain
    onReport(.sends(drain, byteCount: bytes.count))
  }

  /// Sends a message, and the checksum of the session after it.
  ///
  /// - Throws: ``Failure`` if there is no room for it, or if the encoding lacks a character. Then
  ///   nothing is sent.
  private func send(
    _ message: OutgoingMessage, by write: ([UInt8]) throws(SerialError) -> Void
  ) throws(Failure) {
    let bytes = try encoded(message)
    do throws(SerialError) {
      try write(bytes)
    } catch {
      throw .unsent(bytes.count, in: port.model.state)
    }
  }

  /// The bytes of a message, and the checksum of the session after them.
  private func encoded(_ message: OutgoingMessage) throws(Failure) -> [UInt8] {
    let bytes: [UInt8]
    switch message {
    case .numbers(let numbers): bytes = numbers
    case .text(let text):
      (messageForm.mapList, messageForm.encoding) = (sentMap, port.controller.encoding)
      do throws(UnencodableText) {
        bytes = try messageForm.encoded(text)
      } catch {
        throw .unsent(because: error)
      }
    }
    return bytes + (port.model.state.checksum?.bytes(for: bytes) ?? [])
  }

  private func received(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    if let shown {
      shown.add(bytes, at: moment)
    } else if let whole = String(validating: bytes, as: UTF8.self) {
      report(.string(whole), as: "text", at: moment)
    } else {
      report(.string(HexText.digits(of: bytes)), as: "hex", at: moment)
    }
    // An expected answer cannot have come before the program has joined.
    if frameWatch == nil, !isHistory { text.add(bytes) }
  }

  private func report(_ data: JSON, as name: String, at moment: Moment) {
    let members = [("time", JSON.string(Timestamp(moment).rfc3339)), (name, data)]
    onReport(.event("received", members + (isHistory ? [("history", .bool(true))] : [])))
  }

  private func watchFrames() {
    (frames, frameWatch) = (nil, nil)
    guard let frameForm else { return }
    let watch = FrameWatch(
      frameForm, of: port.session, receivingFrom: port.controller.hub, on: loop)
    frames = watch.frames.observe { [unowned self, unowned watch] in
      onReport(.event("frame", $0.members))
      if let line = $0.answerLine(isText: watch.isText) { line.withUnsafeBytes { text.add($0) } }
    }
    frameWatch = watch
  }

  private func stateDidChange(to new: SessionState) {
    if !new.isOpen { onReport(.closed) }
    guard !isJoined, let new = PublishedPortState(new, port.session.capabilities) else { return }
    publish(new)
  }
}

extension JSONPort: MessageSender {
  /// Sends a text as a message. It is done when the driver has sent it.
  func send(_ text: [UInt8], done: @escaping () -> Void) throws(Failure) {
    try send(.text(text)) { bytes throws(SerialError) in try write(bytes, done: done) }
  }

  func startRepeating(_ order: RepeatOrder) throws(Failure) {
    guard order.content.byteCount <= JSONCommand.largestPiece else {
      throw Failure(.usage, "repeat: \(JSONCommand.tooMuch)")
    }
    try repetition.start(order, at: port)
  }

  /// The answer says how it has ended, as the event does.
  func stopRepeating() -> CommandOutcome {
    repetition.end(because: .stopped).map { .done($0.sentence) } ?? .done
  }
}

extension TextRepetition.End {
  /// The members of the event.
  fileprivate var members: [(String, JSON)] {
    [("text", .string(sentence))] + reason.members + [
      ("sent", .integer(Int(repetition.doneCount))), ("late", .integer(Int(missedCount))),
    ]
  }
}

extension CountedError {
  /// The name of its count in the event.
  fileprivate var memberName: String {
    switch self {
    case .framing: "framing"
    case .parity: "parity"
    case .overrun: "overrun"
    case .bufferOverrun: "buffer-overrun"
    case .breakCondition: "break"
    }
  }
}

extension Frame {
  /// The members of its event.
  fileprivate var members: [(String, JSON)] {
    var members: [(String, JSON)] = [("time", .string(Timestamp(moment).rfc3339))]
    if let direction { members.append(("direction", .string(direction.rawValue))) }
    members.append(("hex", .string(bytes.withUnsafeBytes(HexText.digits))))
    if let content = decoded.content, content != bytes {
      members.append(("content", .string(content.withUnsafeBytes(HexText.digits))))
    }
    members.append(("check", .string(decoded.check.name)))
    if case .bad(let reason) = decoded.check { members.append(("reason", .string(reason))) }
    if let meaning = decoded.meaning { members.append(("meaning", .string(meaning))) }
    return members
  }
}
