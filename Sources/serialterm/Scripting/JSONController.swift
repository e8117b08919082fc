import DeviceWatch
import EventLoop
import Glibc
import Logs
import Observing
import Options
import Patterns
import Posix
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// Lets a program drive sessions with JSON lines: commands on standard input, events on standard
/// output. Commands are performed one after the other, and each gets one answer. Only `cancel` is
/// read while another command runs.
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
  private var lines = InputLines(limit: longestLine)
  private var watch: DescriptorWatch?
  private var isClosing = false
  /// The id of the present command, and its port.
  private var current: (id: JSON, port: JSONPort?)?
  private var drain: Drain?
  /// What the present command waits for, if `cancel` can stop it.
  private var running: Running?
  /// The id of the `cancel` that is answered after the present command.
  private var cancelID: JSON?
  /// The command after the present one. It was read in search of a `cancel`.
  private var waitingLine: String?
  private var release: ObservationToken<SessionEvent>?
  /// The number of the session command that is being performed, counted from the start;
  /// nil for none.
  private var performing: Int?
  private var performedCount = 0
  private var timer: LoopTimer?
  private var events: ObservationToken<HeadlessInterface.Event>?

  private var loop: IOLoop { frontEnd.loop }

  /// A command that `cancel` can stop.
  private enum Running {
    case send, expect, transfer, release
  }

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
    ports.append(
      JSONPort(
        adopted, on: loop, isCrowded: { [frontEnd] in frontEnd.isCrowded },
        onReport: { [unowned self] in handle($1, of: $0) }))
  }

  private func handle(_ report: JSONPort.Report, of port: JSONPort) {
    switch report {
    case .event(let event, let members): say(event, members, of: port)
    case .matched(let groups): answer("done", [("match", groups)])
    case .closed: portClosed(port)
    case .joined: doNextSoon()
    }
  }

  /// Sets whether a port is read-only: nothing is sent to it, and its modem lines are not changed.
  func setReadOnly(_ isReadOnly: Bool, port index: Int) {
    ports[index].port.model.update { $0.isReadOnly = isReadOnly }
  }

  /// Sets in which form a port reports what it receives.
  func setForm(by values: Values, port index: Int) {
    ports[index].frameForm = values[ViewParameters.frames]
    let encoding = TextParameters.encoding.declaration.name
    ports[index].reportsOnlyText = values.all[encoding] != nil
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
      case .room:
        for port in ports { port.published.resume() }
        doNext()
      case .ready, .lost, .ending: break
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
    (current, running, release) = (nil, nil, nil)
    say(event, [("id", id)] + members, of: port)
    if let cancelID {
      self.cancelID = nil
      say("done", [("id", cancelID)])
    }
    doNextSoon()
  }

  /// Performs the next command in a separate turn: commands that are answered immediately must not
  /// delay other events.
  private func doNextSoon() {
    guard !isClosing, current == nil else { return }
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
    guard lines.read(from: input.descriptor) else { return }
    if lines.hasEnded {
      watch?.cancel()
      watch = nil
    }
    doNext()
  }

  /// Performs the next command. While one runs, at most one more is read. While answers were not
  /// read, no input is read.
  private func doNext() {
    guard !isClosing else { return }
    guard !frontEnd.isCrowded, current == nil || waitingLine == nil else {
      _ = try? watch?.setInterest([])
      return
    }
    if let line = waitingLine {
      guard mayPerform(line) else {
        _ = try? watch?.setInterest([])
        return
      }
      waitingLine = nil
      return perform(line)
    }
    switch lines.next() {
    case .success(let line):
      if current == nil, mayPerform(line) {
        perform(line)
      } else if current == nil || !cancels(line) {
        waitingLine = line
      }
      // Until the answer, only a `cancel` is performed, and at most one other command is read.
      doNext()
    case .failure:
      frontEnd.finish(
        .failure(Failure(.usage, "a command is longer than \(Self.longestLine) bytes.")))
    case nil where lines.hasEnded: if current == nil, !isJoining { close(after: linger) }
    case nil: _ = try? watch?.setInterest(.reading)
    }
  }

  /// Whether the session that the program joins has not reported who may write.
  private var isJoining: Bool { ports.contains(where: \.isJoining) }

  /// Whether a line can be performed now. Until the program has joined, that is only a `watch`,
  /// which is about what the session reports then.
  private func mayPerform(_ line: String) -> Bool {
    guard isJoining, let json = try? JSON(parsing: line) else { return true }
    return ["watch", "close"].contains(json["command"]?.string)
  }

  /// Performs a line if it is a `cancel`. It is answered after the present command.
  private func cancels(_ line: String) -> Bool {
    guard cancelID == nil, let json = try? JSON(parsing: line),
      json["command"]?.string == "cancel", let port = current?.port
    else { return false }
    cancelID = json["id"] ?? .null
    switch running {
    case .expect:
      port.text.patterns = []
      fail("cancelled")
    case .send:
      drain = nil
      let count = port.port.session.discardUnsent(by: .program)
      answer("failed", [("reason", .string("cancelled")), ("unsent", .integer(count))])
    case .transfer: port.port.controller.exchange?.stop()
    case .release:
      takeBack(port)
      fail("cancelled")
    case nil: break
    }
    return true
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
    case .send(.bytes(let bytes)): send(bytes, to: port)
    case .send(.text(let text)):
      do {
        send(try port.bytes(of: text), to: port)
      } catch {
        fail("\(error)")
      }
    case .expect(let expression, let limit):
      running = .expect
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
    case .watch(let order):
      answer("done")
      port.watch(order)
    case .pen(let request):
      request.perform(
        call(at: port) { [unowned self] in answer("done", [("message", .string($0))]) })
    case .plot(let size): plot(size, at: port)
    case .release: release(port)
    case .takeBack:
      takeBack(port)
      answer("done")
    case .startLog(let path, let appends): startLog(in: path, appending: appends, at: port)
    case .stopLog:
      guard port.port.log.path != nil else { return fail("no log is on") }
      port.port.log.switchOff()
      answer("done")
    case .cancel: answer("done")
    case .close: performClose()
    }
  }

  private func plot(_ size: PlotPicture.Size, at port: JSONPort) {
    port.startPlot()
    if let reason = Need.numbers.unmet(in: port.port.model.state) { return fail(reason) }
    do throws(Failure) {
      answer("done", [("svg", JSON(try port.plot?.picture(size)))])
    } catch {
      fail(error.message)
    }
  }

  /// Lends the port. The answer follows when it is closed here.
  private func release(_ port: JSONPort) {
    port.port.model.update { $0.isLending = true }
    if let reason = port.port.reasonNotToRelease {
      port.port.model.update { $0.isLending = false }
      return fail(reason)
    }
    if case .released = port.port.session.state { return answer("done") }
    running = .release
    release = port.port.session.observe(.stateChange) { [unowned self] in
      switch $0.new {
      case .released: answer("done")
      case .closed: fail("no device")
      case .open, .opening, .waitingForDevice: break
      }
    }
    port.port.lender.setClaim(true)
  }

  private func takeBack(_ port: JSONPort) {
    port.port.lender.setClaim(false)
    port.port.model.update { $0.isLending = false }
  }

  private func startLog(in path: FilePath, appending appends: Bool, at port: JSONPort) {
    let log = port.port.log
    if let path = log.path { return fail("a log is on already: \(path)") }
    if log.sharingCount != nil { return fail("the log is shared by several ports") }
    let file = (FilePath(".").realPath ?? ".").pushing(path)
    do throws(LogError) {
      try log.switchOn(in: file, appending: appends)
      answer("done", [("path", JSON(log.path?.string))])
    } catch {
      fail("cannot log: \(Failure(error).message)")
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
          case .failed(let message), .timedOut(let message), .stopped(let message),
            .cutOff(let message):
            fail(message)
          }
        })
      port.port.controller.exchange = player
      running = .transfer
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

  /// Makes a call of a session command. The answer is a failure, or the message is
  /// passed to `done`.
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
    running = .send
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
