import DeviceWatch
import EventLoop
import Framing
import Glibc
import Observing
import Patterns
import Posix
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// Lets a program drive sessions with JSON lines: commands on standard input, events on standard output. Commands are
/// performed one after the other, and each gets one answer.
///
/// With several ports, events and commands name the port in the member `port`.
final class JSONController {
  /// The version of the protocol. New events and members do not change it.
  static let version = 1
  /// The maximum length of a line in bytes.
  private static let longestLine = 1_048_576

  private let frontEnd: HeadlessInterface
  private var ports: [JSONPort] = []
  /// The time to wait after the end of the input.
  var linger: Duration
  private let input = StandardFile(.standardInput, O_RDONLY)
  private var lines = FrameBuffer(.lines(limit: longestLine))
  private var watch: DescriptorWatch?
  private var hasEnded = false
  private var isClosing = false
  /// The id of the present command, and its port.
  private var current: (id: JSON, port: JSONPort?)?
  private var drain: Drain?
  /// The number of the session command that is being performed, counted from the start; nil for none.
  private var performing: Int?
  private var performedCount = 0
  private var timer: LoopTimer?
  private var events: ObservationToken<HeadlessInterface.Event>?

  private var loop: IOLoop { frontEnd.loop }

  /// Creates a controller of one session.
  init(_ frontEnd: HeadlessInterface, linger: Duration, isReadOnly: Bool) {
    self.frontEnd = frontEnd
    self.linger = linger
    adopt(frontEnd.port)
    setReadOnly(isReadOnly, port: 0)
  }

  /// Adds a session.
  func add(
    _ configuration: SessionConfiguration, isReadOnly: Bool,
    forDevice configurationForDevice: ((Device) throws -> SessionConfiguration)?
  ) {
    let index = ports.count
    adopt(frontEnd.add(configuration, forDevice: configurationForDevice))
    setReadOnly(isReadOnly, port: index)
  }

  private func adopt(_ adopted: Port) {
    ports.append(JSONPort(adopted, on: loop) { [unowned self] in handle($1, of: $0) })
  }

  private func handle(_ report: JSONPort.Report, of port: JSONPort) {
    switch report {
    case .event(let event, let members): say(event, members, of: port)
    case .matched(let groups): answer("done", [("match", groups)])
    case .closed: portClosed(port)
    }
  }

  /// Sets whether a port is read-only: nothing is sent to it, and its modem lines are not changed.
  func setReadOnly(_ isReadOnly: Bool, port index: Int) {
    ports[index].port.model.update { $0.isReadOnly = isReadOnly }
  }

  /// Gives each port its name, which distinguishes several ports in events and commands.
  func name(_ names: [String]) {
    for (port, name) in zip(ports, names) { port.port.name = name }
  }

  /// Runs until the end of the input, or a `close` command.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    let names = ports.compactMap(\.port.name).map { JSON.string($0) }
    say(
      "hello",
      [("version", .integer(Self.version))] + (names.isEmpty ? [] : [("ports", .array(names))]))
    events = frontEnd.events.observe { [unowned self] in
      switch $0 {
      case .waiting: startReading()
      case .room: doNext()
      case .ready, .lost: break
      }
    }
    defer { for port in ports { port.port.lineCommands.end() } }
    return try frontEnd.run()
  }

  // MARK: Events

  private func say(_ event: String, _ members: [(String, JSON)], of port: JSONPort? = nil) {
    let name = port?.port.name.map { [("port", JSON.string($0))] } ?? []
    var line = "\(JSON.object([("event", .string(event))] + name + members))\n"
    line.withUTF8 { frontEnd.write(UnsafeRawBufferPointer($0)) }
  }

  private func answer(_ event: String, _ members: [(String, JSON)] = []) {
    timer = nil
    guard let (id, port) = current else { return }
    current = nil
    say(event, [("id", id)] + members, of: port)
    // In a separate turn: commands that are answered immediately must not delay other events.
    timer = loop.schedule(after: .zero) { [unowned self] in doNext() }
  }

  private func fail(_ reason: String) { answer("failed", [("reason", .string(reason))]) }

  // MARK: Commands

  private func startReading() {
    do throws(Errno) {
      guard input.isUsable else { throw .badFileDescriptor }
      watch = try loop.watch(input.descriptor, for: .reading, isUrgent: true) {
        [unowned self] _ in read()
      }
    } catch {
      frontEnd.finish(.failure(Failure(inputFailed: error)))
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
      hasEnded = true
    }
    doNext()
  }

  /// Performs the next command. While one runs, or answers were not read, no input is read.
  private func doNext() {
    guard current == nil, !isClosing else { return }
    guard !frontEnd.isCrowded else {
      _ = try? watch?.setInterest([])
      return
    }
    switch lines.next(isEnd: hasEnded) {
    case .success(let line):
      _ = try? watch?.setInterest([])
      perform(line)
    case .failure:
      frontEnd.finish(
        .failure(Failure(.usage, "a command is longer than \(Self.longestLine) bytes.")))
    case nil where hasEnded: close(after: linger)
    case nil: _ = try? watch?.setInterest(.reading)
    }
  }

  private func perform(_ line: String) {
    current = (.null, nil)
    do {
      let json = try JSON(parsing: line)
      current = (json["id"] ?? .null, nil)
      let command = try JSONCommand(json)
      if case .close = command { return performClose() }
      let port = try port(named: json["port"])
      current?.port = port
      perform(command, at: port)
    } catch {
      fail("\(error)")
    }
  }

  /// The port that a command names. If there is only one, the command need not name it.
  private func port(named name: JSON?) throws(JSONCommand.Mistake) -> JSONPort {
    if ports.count == 1 && name == nil { return ports[0] }
    let named = ports.first { $0.port.name != nil && $0.port.name == name?.string }
    guard let named else {
      let names = ports.compactMap(\.port.name)
      throw JSONCommand.Mistake(
        names.isEmpty
          ? "port: leave it out, there is only one"
          : "port: expected one of \(names.joined(separator: ", "))")
    }
    return named
  }

  private func perform(_ command: JSONCommand, at port: JSONPort) {
    switch command {
    case .send(let bytes): send(bytes, to: port)
    case .expect(let expression, let limit):
      timer = loop.schedule(after: limit) { [unowned self] in
        port.text.patterns = []
        fail("timeout")
      }
      port.text.patterns = [expression]
    case .perform(let action): action(call(at: port) { [unowned self] _ in answer("done") })
    case .named(let command, let argument):
      command.perform(
        call(argument, at: port) { [unowned self] in answer("done", [("message", .string($0))]) })
    case .transfer(let order): transfer(order, at: port)
    case .close: performClose()
    }
  }

  private func transfer(_ order: TransferOrder, at port: JSONPort) {
    if let reason = Need.toSend.unmet(in: port.port.model.state) { return fail(reason) }
    do {
      let player = try TransferPlayer(
        order, on: port.port, loop: loop, outlivesLoss: false,
        onReport: { [unowned self, unowned port] in say($0, of: port) },
        onEnd: { [unowned self, unowned port] end in
          port.port.controller.exchange = nil
          switch end {
          case .done: answer("done")
          case .failed(let message), .stopped(let message), .cutOff(let message): fail(message)
          }
        })
      port.port.controller.exchange = player
      try player.begin()
    } catch {
      port.port.controller.exchange = nil
      fail((error as? Failure)?.message ?? "\(error)")
    }
  }

  private func say(_ report: TransferPlayer.Report, of port: JSONPort) {
    switch report {
    case .status(let status): say("progress", status.members, of: port)
    case .file(let file, let path): say("file", file.members(storedAt: path), of: port)
    case .message(let text): say("message", [("text", .string(text))], of: port)
    }
  }

  private func performClose() {
    answer("done")
    close(after: .zero)
  }

  /// Makes a call of a session command. The answer is a failure, or the message is passed to `done`.
  private func call(
    _ argument: String? = nil, at port: JSONPort, done: @escaping (_ message: String) -> Void
  ) -> CommandCall {
    performedCount += 1
    performing = performedCount
    return CommandCall(from: .json, at: port.port, argument: argument) {
      [unowned self, number = performedCount] outcome in
      // If the port was closed, that has already been answered.
      guard performing == number else { return }
      performing = nil
      if let reason = outcome.refusal { fail(reason) } else { done(outcome.message) }
    }
  }

  private func send(_ bytes: [UInt8], to port: JSONPort) {
    let session = port.port.session
    if let reason = Need.toSend.unmet(in: port.port.model.state) { return fail(reason) }
    do throws(SerialError) {
      try session.write(bytes.span.bytes, by: .program)
    } catch {
      return fail(Failure(error).message)
    }
    drain = Drain(session, on: loop, patience: nil) { [unowned self] in answer("done") }
  }

  /// Fails a command that takes time, such as a break, when its port is closed.
  private func portClosed(_ port: JSONPort) {
    guard performing != nil, current?.port === port else { return }
    performing = nil
    fail("no device")
  }

  private func close(after linger: Duration) {
    isClosing = true
    timer = loop.schedule(after: linger) { [unowned self] in
      frontEnd.finish(.success(.done))
    }
  }
}

extension TransferStatus {
  /// The members of the event for the progress of a transfer.
  fileprivate var members: [(String, JSON)] {
    [
      ("name", .string(String(decoding: name, as: UTF8.self))), ("position", .integer(position)),
      ("size", size.map { .integer($0) } ?? .null), ("rate", rate.map { .integer($0) } ?? .null),
      ("retries", .integer(retries)),
    ]
  }
}

extension TransferSummary {
  /// The members of the event for a transferred file.
  fileprivate func members(storedAt path: FilePath?) -> [(String, JSON)] {
    [
      ("name", .string(String(decoding: name, as: UTF8.self))), ("size", .integer(size)),
      ("bytes", .integer(byteCount)), ("milliseconds", .integer(Int(duration / .milliseconds(1)))),
      ("retries", .integer(retries)), ("path", JSON(path?.string)),
    ]
  }
}
