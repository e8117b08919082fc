package import EventLoop
import Observing
import Posix
package import SerialCore
package import SystemPackage
package import Telnet
import TextTools
import Time

/// A client of a shared port. It gets the device's bytes; the device gets its bytes, if
/// it may write.
///
/// A client of RFC 2217 can also change the line settings, if it may write, and gets reports of
/// modem lines and errors. A serialterm also gets the members of the session, and a viewer the
/// bytes that were received before it joined.
///
/// This object connects the parts, and ends them together: ``ClientInput`` reads what the client
/// sends, ``ClientWriter`` writes its bytes to the device, ``ClientLine`` performs its requests,
/// ``ClientMember`` is the client among the members, ``ClientFeed`` passes the device's bytes,
/// ``ClientLog`` sends the session's log, and ``ClientChannel`` encodes all that the client gets.
///
/// A client that has ended its stream, and does not use RFC 2217, still gets the device's answer.
package final class ServedClient: Participant {
  /// A report for the owner of a client.
  package enum Report: Hashable {
    /// The client has sent bytes without the right to write. They were dropped. Reported once for
    /// each holder of the pen.
    case mayNotWrite(Int)
    /// The client did not take this number of the device's bytes.
    case leftOut(Int)
    /// The client has disconnected, and this number of its bytes was not sent.
    case unsent(Int)
    /// The client has discarded this number of its own bytes, which were not sent.
    case discarded(Int)
    /// The client has the pen and takes nothing. The device has waited for it long enough, and
    /// waits no longer.
    case overstayed
    /// The client takes nothing, and its protocol cannot report missing bytes. It was disconnected.
    case stalled
    /// The client asks and does not read the answers. It was disconnected.
    case answersUnread
    /// The client reads the log of the session. Reported once.
    case readsLog
  }

  /// How a client has connected.
  package struct Configuration {
    package let clientProtocol: StreamProtocol
    /// Its name until it sends a better one; safe to show.
    package let name: String
    /// Whether it has joined the session as a viewer. It then identifies itself before
    /// it gets anything.
    package let isViewer: Bool
    /// Whether it may take the pen without asking.
    package let mayTake: Bool

    package init(
      clientProtocol: StreamProtocol, name: String, isViewer: Bool = false, mayTake: Bool
    ) {
      self.clientProtocol = clientProtocol
      self.name = name
      self.isViewer = isViewer
      self.mayTake = mayTake
    }
  }

  /// How the program identifies itself to clients.
  package struct Program {
    /// Its name and version.
    let signature: String
    /// Puts an error in words.
    let words: (SerialError) -> String

    package init(signature: String, words: @escaping (SerialError) -> String) {
      (self.signature, self.words) = (signature, words)
    }
  }

  private let descriptor: FileDescriptor
  private unowned let controller: SessionController
  private let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let sharing: SharingController
  private let loop: IOLoop
  private let configuration: Configuration
  private let ended: () -> Void
  private let channel: ClientChannel
  private let member: ClientMember
  private let line: ClientLine
  private lazy var input = ClientInput(
    descriptor, on: loop, handle: { [unowned self] in handleInput($0) },
    ended: { [unowned self] in inputEnded($0) })
  private lazy var log = ClientLog(
    LogDownload(of: controller.log), for: member, through: channel)
  private lazy var writer = ClientWriter(
    of: member, to: session, in: sharing, pausing: input, on: loop)
  private lazy var feed = ClientFeed(
    of: controller, to: member, through: channel, after: backlog, on: loop,
    stalled: { [unowned self] in end() })
  private let backlog: ReceivedBacklog?
  private var outputEvents: ObservationToken<ClientOutput.Event>?
  /// Begins without an answer, because the client may not use telnet.
  private var beginning: LoopTimer?
  /// What is known since the client has ended its stream; nil before that.
  private var linger: Linger?
  private var hasEnded = false

  /// A client that has ended its stream, and still gets the answer.
  private struct Linger {
    /// The number of its bytes that were not sent at the last look.
    var unsent: Int
    /// When that number has changed last.
    var changed: MonotonicTime
    var timer: LoopTimer?
  }

  /// The time to wait for the first answer of a telnet client.
  private static let negotiationTime = Duration.milliseconds(500)
  /// The time that a viewer has to identify itself.
  private static let helloTime = Duration.seconds(5)
  /// The silence of the device after which a client that has ended its stream is disconnected.
  private static let lingerSilence = Duration.seconds(1)
  /// The maximum time that such a client stays after its last byte was sent, where the device
  /// is never silent.
  private static let lingerLimit = Duration.seconds(60)
  private static let lingerInterval = Duration.milliseconds(200)
  /// The maximum number of requests that are performed in a turn of the loop. Each can be a call
  /// of the driver.
  private static let requestLimit = 64
  /// The number of bytes of answers that are collected before they are written.
  private static let answerSize = 4_096

  /// Starts the communication with a client.
  ///
  /// - Parameters:
  ///   - input: a descriptor for the bytes of the client; borrowed.
  ///   - output: a descriptor for the bytes to the client; borrowed. It differs from `input`.
  ///   - backlog: what the device sent before, which the client gets first; nil for nothing.
  ///   - program: how the program identifies itself.
  ///   - report: receives the reports for the owner, with the client's name.
  ///   - ended: called once, when the client has ended its stream or disconnected. It is called
  ///     during one of the client's events.
  /// - Throws: the errors of epoll_ctl(2).
  package init(
    reading input: FileDescriptor, writing output: FileDescriptor, as configuration: Configuration,
    of controller: SessionController, after backlog: ReceivedBacklog? = nil, program: Program,
    on loop: IOLoop,
    report: @escaping (String, Report) -> Void, ended: @escaping () -> Void
  ) throws(Errno) {
    descriptor = input
    self.controller = controller
    session = controller.session
    sharing = controller.sharing
    self.loop = loop
    self.configuration = configuration
    self.backlog = backlog
    self.ended = ended
    channel = try ClientChannel(
      writing: output, speaking: configuration.clientProtocol, as: program.signature, on: loop)
    member = ClientMember(
      configuration, of: session, in: sharing, through: channel, on: loop, notify: report)
    line = ClientLine(
      of: controller, for: member, through: channel, on: loop, words: program.words)
    outputEvents = channel.output.events.observe { [unowned self] in outputDidReport($0) }
    try self.input.start()
    observations = [
      session.observe(.stateChange) { [unowned self] in stateDidChange(from: $0.old, to: $0.new) },
      session.observe(.modemLinesChange) { [unowned self] in modemLinesDidChange(from: $0.old) },
      session.observe(.capabilitiesChange) { [unowned self] _ in member.sendFeatures() },
      session.observe(.countersChange) { [unowned self] in
        line.reportErrors(from: $0.old, to: $0.new)
        member.sendCounters()
      },
    ]
    if !configuration.isViewer { member.join(as: self) }
    if configuration.clientProtocol == .raw { begin() } else { negotiate() }
  }

  private func negotiate() {
    channel.negotiate()
    beginning = loop.schedule(after: configuration.isViewer ? Self.helloTime : Self.negotiationTime)
    {
      [unowned self] in if configuration.isViewer { end() } else { begin() }
    }
  }

  /// Begins to pass the device's bytes.
  private func begin() {
    beginning = nil
    guard !feed.hasBegun, !hasEnded else { return }
    feed.begin()
    if !configuration.isViewer { sharing.useFreePen(member.id) }
    line.reportModemLines()
  }

  // MARK: The end

  /// Ends the connection. The owner then releases it.
  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    let unsent = input.stop() + writer.stop()
    channel.output.end()
    feed.stop()
    (beginning, linger) = (nil, nil)
    if unsent > 0, sharing.roster.mayWrite(member.id) { member.report(.unsent(unsent)) }
    line.revoke()
    observations = []
    sharing.leave(member.id)
    ended()
  }

  /// Ends the connection with the session, and sends the reason if the protocol has a
  /// message for it.
  package func end(because reason: String) {
    if member.isPerson { member.sendMessage(.ended(reason)) } else { channel.say(reason) }
    end()
  }

  /// Ends a client that has disconnected, if its bytes can no longer be sent.
  private func endIfHopeless() {
    if input.hasPeerEnded, writer.isWaiting || linger != nil, !session.isOpen { end() }
  }

  private func inputEnded(_ reason: ClientInput.End) {
    switch reason {
    case .disconnected: endIfHopeless()
    case .endOfStream: streamEnded()
    case .restRead: end()
    }
  }

  /// Handles the end of the client's stream. What the device answers is still sent.
  private func streamEnded() {
    // A client of RFC 2217 talks to the port in both directions: without one of them it is gone.
    guard configuration.clientProtocol != .rfc2217, session.isOpen, !channel.output.isGone else {
      return end()
    }
    input.close()
    linger = Linger(unsent: sharing.unsentByteCount(by: member.id), changed: loop.now)
    feed.linger()
    begin()
    sharing.endStream(of: member.id)
    endIfAnswered()
  }

  /// Disconnects a client that has ended its stream when the device is silent.
  private func endIfAnswered() {
    guard var linger, !hasEnded else { return }
    let now = loop.now
    let unsent = sharing.unsentByteCount(by: member.id)
    if unsent != linger.unsent { (linger.unsent, linger.changed) = (unsent, now) }
    let silence = now - max(feed.lastTime ?? linger.changed, linger.changed)
    let isAnswered = unsent == 0 && channel.output.isDrained && silence >= Self.lingerSilence
    guard session.isOpen, !isAnswered, now - linger.changed < Self.lingerLimit else { return end() }
    linger.timer = loop.schedule(after: Self.lingerInterval) { [unowned self] in
      endIfAnswered()
    }
    self.linger = linger
  }

  // MARK: The output

  private func outputDidReport(_ event: ClientOutput.Event) {
    guard !hasEnded else { return }
    switch event {
    case .hasRoom: feed.update()
    case .leftOut(let count):
      reportGap(count)
      // The backlog continues after the report.
      feed.update()
    case .gone(isOverfull: true):
      member.report(.answersUnread)
      // At the end of the turn, because bytes of the client may be in use now.
      loop.atEndOfTurn { [weak self] in self?.end() }
    // Bytes that the client has sent are still sent, or counted as unsent.
    case .gone(isOverfull: false): input.readRest()
    }
  }

  private func reportGap(_ count: Int) {
    member.report(.leftOut(count))
    switch configuration.clientProtocol {
    case .raw: break
    case .telnet: channel.say("\(count.counted("byte")) of the device not shown")
    case .rfc2217 where member.isPerson: member.sendMessage(.missed(UInt32(clamping: count)))
    case .rfc2217: line.reportOverrun()
    }
  }

  // MARK: The input

  /// Handles bytes that the client has sent.
  func receive(_ bytes: UnsafeRawBufferPointer) { input.receive(bytes) }

  /// - Returns: the number of bytes that were handled.
  private func handleInput(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard channel.hasCommands else {
      writer.write(bytes)
      return bytes.count
    }
    // Each piece begins with the byte that starts commands, so that a command comes before the data
    // that follow it: a rate is set before the bytes after it are sent.
    var rest = bytes[...]
    var budget = Self.requestLimit
    while !rest.isEmpty, budget > 0, !hasEnded {
      let end = rest.dropFirst().firstIndex(of: TelnetCommand.interpretAsCommand) ?? rest.endIndex
      budget -= handlePiece(UnsafeRawBufferPointer(rebasing: rest[..<end]))
      rest = rest[end...]
      if channel.answerCount > Self.answerSize { channel.flush() }
    }
    channel.flush()
    return bytes.count - rest.count
  }

  /// - Returns: the number of requests.
  private func handlePiece(_ bytes: UnsafeRawBufferPointer) -> Int {
    var data: [UInt8] = []
    let events = channel.decode(bytes, into: &data)
    for event in events { handleRequest(event) }
    guard !data.isEmpty else { return events.count }
    // An answer may follow the bytes.
    if !configuration.isViewer { begin() }
    data.withUnsafeBytes { writer.write($0) }
    return events.count
  }

  private func handleRequest(_ event: ComPortServer.Event) {
    switch event {
    case .began, .refused: if !configuration.isViewer { begin() }
    case .sendingPermitted: feed.update()
    case .breakRequested: if !line.sendBreak() { writer.refuse(0) }
    case .asked(let message):
      if case .purge(let buffers) = message, buffers & 2 != 0 { discardUnsent() }
      line.perform(message)
    case .shared(.hello(let introduction, let isViewer)):
      guard !member.isPerson else { return }
      member.identify(as: introduction, self)
      if isViewer {
        member.sendHistory()
        begin()
      }
    case .shared(.askWhenSent(let number)): writer.askWhenSent(number)
    case .shared(.readLog(let offset, let count)): log.send(count, from: offset)
    case .shared(let message): member.perform(message)
    }
  }

  private func discardUnsent() {
    let count = writer.discardUnsent()
    guard count > 0 else { return }
    controller.log.append(discarded: count, by: member.name)
    member.report(.discarded(count))
  }

  // MARK: The session

  package func resumeWriting() { writer.writePending() }

  package func revoke() { line.revoke() }

  package func rosterDidChange(_ event: Roster.Event) {
    switch event {
    case .moved, .ruled: writer.penDidMove()
    case .joined, .left, .changed, .asked, .kept: break
    }
    // Others may wait too now, or the pen, and with it the right to hold the device, is gone.
    feed.update()
    member.send(event)
  }

  package func refusalsDidChange() { member.sendRefusals() }

  private func modemLinesDidChange(from old: ModemLines?) {
    line.reportModemLines()
    let new = session.modemLines
    if old?.intersection(.outputs) != new?.intersection(.outputs) { member.send(new) }
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    if !new.isOpen { line.endBreak() }
    line.reportModemLines()
    if case .open(_, let settings) = new {
      member.send(settings)
      member.send(session.modemLines)
    }
    // New settings are no news of the port, nor is an attempt to open it.
    if old.endpoint != new.endpoint
      || SharingMessage.PortState(old) != SharingMessage.PortState(new)
    {
      member.sendPortState()
    }
    switch (old, new) {
    case (.open, .waitingForDevice): channel.say("the device is gone; waiting for it")
    case (.opening, .open): channel.say("the device is back")
    case (.open, .released): channel.say("the port is released for another program")
    default: break
    }
    endIfHopeless()
  }
}
