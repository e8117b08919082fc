import Encodings
import EventLoop
import Frames
import Observing
import Patterns
import SerialCore
import Sessions
import Symbols
import SystemPackage
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
    onReport(self, .matched(.array(groups)))
  }
  /// Converts what the device sends; bytes of a device that sends UTF-8 pass as they are.
  private lazy var decoder = ReceivedDecoder(.utf8, on: loop) { [unowned self] in
    received($0, at: $1)
  }
  /// Converts what is sent; nil until text is sent in another encoding than UTF-8.
  private var writer: EncodingWriter?
  private let loop: IOLoop
  private let onReport: (JSONPort, Report) -> Void
  private var subscription: Hub.Subscription?
  /// The form of frames that are reported, and in whose lines expressions are searched; nil
  /// for none.
  var frameForm: ChosenFrameForm? {
    didSet { if frameForm != oldValue { watchFrames() } }
  }
  private var frameWatch: FrameWatch?
  private var frames: ObservationToken<Frame>?

  /// A report to the program's controller.
  enum Report {
    /// An event for the program, and its members.
    case event(String, [(String, JSON)])
    /// The expectation's match was received. The value has the groups.
    case matched(JSON)
    /// The port is closed.
    case closed
  }

  /// - Parameter onReport: called with this port and each report.
  init(_ port: Port, on loop: IOLoop, onReport: @escaping (JSONPort, Report) -> Void) {
    self.port = port
    self.loop = loop
    self.onReport = onReport
    counterWatch = CounterWatch(port.session, on: loop)
    stateChanges = port.session.observe(.stateChange) { [unowned self] in
      stateDidChange(to: $0.new)
    }
    counters = port.session.observe(.countersChange) { [unowned self] in
      let changes = $0.new.changes(since: $0.old)
      let members = changes.errors.map { ($0.memberName, JSON.integer(Int(changes[$0]))) }
      if !members.isEmpty { onReport(self, .event("line-errors", members)) }
    }
    symbols = port.symbolAnswers.observe { [unowned self] in
      let frames = $0.note.frames.map {
        JSON.object([("function", .string($0.function)), ("place", JSON($0.place))])
      }
      onReport(
        self,
        .event("symbols", [("address", .string($0.note.address)), ("frames", .array(frames))]))
    }
    subscription = port.controller.hub.subscribe(as: .view) { [unowned self] in
      decoder.encoding = self.port.controller.encoding
      // Frames are made of bytes.
      decoder.add($0, at: $1)
    }
  }

  /// The bytes to send for a text, in the encoding of the device.
  ///
  /// - Throws: `EncodingError`, and `UnencodableText` for the first character that the encoding
  ///   does not have.
  func bytes(of text: String) throws -> [UInt8] {
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

  private func received(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    let whole = String(validating: bytes, as: UTF8.self)
    let data: (String, JSON) =
      whole.map { ("text", .string($0)) } ?? ("hex", .string(HexText.digits(of: bytes)))
    onReport(self, .event("received", [("time", .string(Timestamp(moment).rfc3339)), data]))
    if frameWatch == nil { text.add(bytes) }
  }

  private func watchFrames() {
    (frames, frameWatch) = (nil, nil)
    guard let frameForm else { return }
    let watch = FrameWatch(
      frameForm, of: port.session, receivingFrom: port.controller.hub, on: loop)
    frames = watch.frames.observe { [unowned self, unowned watch] in
      onReport(self, .event("frame", $0.members))
      if let line = $0.answerLine(isText: watch.isText) { line.withUnsafeBytes { text.add($0) } }
    }
    frameWatch = watch
  }

  private func stateDidChange(to new: SessionState) {
    if !new.isOpen { onReport(self, .closed) }
    let name: String
    switch new {
    case .open: name = "open"
    case .waitingForDevice: name = "waiting"
    case .closed: name = "closed"
    case .released: name = "released"
    case .opening: return
    }
    var members = [("state", JSON.string(name)), ("node", JSON(new.endpoint?.path?.string))]
    if case .open(_, let settings) = new, port.session.capabilities.contains(.settings) {
      members.append(("settings", .string("\(settings)")))
    }
    onReport(self, .event("state", members))
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
