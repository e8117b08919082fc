import EventLoop
import Glibc
import Posix
import Scripting
import SerialCore
import SessionKit
import SystemPackage

/// Lets a program drive a session: events go to standard output, commands come from standard input,
/// both as JSON lines. Commands are performed one after the other, and each gets one answer.
final class JSONController: SessionObserver {
  /// The version of the protocol. New events and members do not change it.
  static let version = 1
  /// The maximal length of a line, in bytes.
  private static let longestLine = 1_048_576

  private let unattended: UnattendedSession
  /// The time to wait after the end of the input.
  var linger: Duration
  /// Whether nothing is sent and no modem line is changed.
  var isReadOnly: Bool {
    get { model.state.isReadOnly }
    set { model.update { $0.isReadOnly = newValue } }
  }
  private let text: ReceivedTextWatch
  private let model: TerminalStateModel
  private let input = StandardFile(.standardInput, O_RDONLY)
  private var lines = LineAssembler(limit: longestLine)
  private var watch: DescriptorWatch?
  private var hasEnded = false
  private var isClosing = false
  /// The id of the present command.
  private var current: JSON?
  private var drain: Drain?
  /// The command of the session that is being performed: the number of such commands so far.
  private var performing: Int?
  private var performedCount = 0
  private var timer: LoopTimer?

  private var session: Session { unattended.session }
  private var loop: IOLoop { unattended.loop }

  init(_ unattended: UnattendedSession, linger: Duration, isReadOnly: Bool) {
    self.unattended = unattended
    self.linger = linger
    model = unattended.model
    text = ReceivedTextWatch(on: unattended.loop)
    self.isReadOnly = isReadOnly
    unattended.session.addObserver(self)
  }

  /// Runs until the end of the input, or a `close` command.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    say("hello", [("version", .integer(Self.version))])
    text.onMatch = { [unowned self] match in
      text.expressions = []
      let groups = match.captures.map { $0.map { JSON.string(String(received: $0)) } ?? .null }
      answer("done", [("match", .array(groups))])
    }
    unattended.onReceived = { [unowned self] in received($0) }
    unattended.onWaiting = { [unowned self] in startReading() }
    unattended.onRoom = { [unowned self] in doNext() }
    defer { unattended.controller.lineCommands.end() }
    return try unattended.run()
  }

  // MARK: What happens

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    if !new.isOpen { portClosed() }
    let name: String
    switch new {
    case .open: name = "open"
    case .waitingForDevice: name = "waiting"
    case .closed: name = "closed"
    case .released: name = "released"
    case .opening: return
    }
    var members = [("state", JSON.string(name)), ("node", JSON(new.endpoint?.path?.string))]
    if case .open(_, let settings) = new { members.append(("settings", .string("\(settings)"))) }
    say("state", members)
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    let whole = String(validating: bytes, as: UTF8.self)
    let data: (String, JSON) =
      whole.map { ("text", .string($0)) } ?? ("hex", .string(HexText.digits(of: bytes)))
    say("received", [("time", .string(Timestamp.now.rfc3339)), data])
    text.add(bytes)
  }

  private func say(_ event: String, _ members: [(String, JSON)]) {
    var line = "\(JSON.object([("event", .string(event))] + members))\n"
    line.withUTF8 { unattended.write(UnsafeRawBufferPointer($0)) }
  }

  private func answer(_ event: String, _ members: [(String, JSON)] = []) {
    timer = nil
    guard let id = current else { return }
    current = nil
    say(event, [("id", id)] + members)
    // In a turn of its own: commands that are answered at once must not delay other events.
    timer = loop.schedule(after: .zero) { [unowned self] in doNext() }
  }

  private func fail(_ reason: String) { answer("failed", [("reason", .string(reason))]) }

  // MARK: Commands

  private func startReading() {
    do {
      watch = try loop.watch(input.descriptor, for: .reading) { [unowned self] _ in read() }
    } catch {
      unattended.finish(.failure(Failure(.otherFailure, "standard input: \(error).")))
    }
  }

  private func read() {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
    defer { piece.deallocate() }
    switch (try? input.descriptor.readAvailable(into: piece)) ?? .endOfFile {
    case .bytes(let count): lines.append(piece[..<count])
    case .wouldBlock: return
    case .endOfFile:
      watch?.cancel()
      watch = nil
      lines.end()
      hasEnded = true
    }
    doNext()
  }

  /// Performs the next command. While one is running, or answers are not read, no input is read.
  private func doNext() {
    guard current == nil, !isClosing else { return }
    guard !unattended.isCrowded else {
      _ = try? watch?.setInterest([])
      return
    }
    if let line = lines.next() {
      _ = try? watch?.setInterest([])
      perform(line)
    } else if lines.isOverlong {
      unattended.finish(
        .failure(Failure(.usage, "a command is longer than \(Self.longestLine) bytes.")))
    } else if hasEnded {
      close(after: linger)
    } else {
      _ = try? watch?.setInterest(.reading)
    }
  }

  private func perform(_ line: String) {
    current = .null
    do {
      let json = try JSON(parsing: line)
      current = json["id"] ?? .null
      let command = try JSONCommand(json)
      perform(command)
    } catch {
      fail("\(error)")
    }
  }

  private func perform(_ command: JSONCommand) {
    switch command {
    case .send(let bytes): send(bytes)
    case .expect(let expression, let limit):
      timer = loop.schedule(after: limit) { [unowned self] in
        text.expressions = []
        fail("timeout")
      }
      text.expressions = [expression]
    case .perform(let action): action(call { [unowned self] _ in answer("done") })
    case .named(let command, let argument):
      command.perform(
        call(argument) { [unowned self] in answer("done", [("message", .string($0))]) })
    case .close:
      answer("done")
      close(after: .zero)
    }
  }

  /// A use of a command of the session, whose answer is a failure, or what `done` says with the message.
  private func call(
    _ argument: String? = nil, done: @escaping (_ message: String) -> Void
  ) -> CommandCall {
    performedCount += 1
    performing = performedCount
    return CommandCall(from: .json, at: unattended.controller, argument: argument) {
      [unowned self, number = performedCount] outcome in
      // The port may have been closed, which was the answer.
      guard performing == number else { return }
      performing = nil
      if let reason = outcome.refusal { fail(reason) } else { done(outcome.message) }
    }
  }

  private func send(_ bytes: [UInt8]) {
    if let reason = Need.toSend.unmet(in: model.state) { return fail(reason) }
    do throws(SerialError) {
      try session.write(bytes.span.bytes)
    } catch {
      return fail(Failure(error).message)
    }
    drain = Drain(session, on: loop, patience: nil) { [unowned self] in answer("done") }
  }

  /// A command that takes a moment, as a break, fails when the port is closed.
  private func portClosed() {
    guard performing != nil else { return }
    performing = nil
    fail("no device")
  }

  private func close(after linger: Duration) {
    isClosing = true
    timer = loop.schedule(after: linger) { [unowned self] in
      unattended.finish(.success(.done))
    }
  }
}
