import DeviceWatch
import EventLoop
import Framing
import Glibc
import Logs
import Observing
import Options
import Patterns
import Posix
import ProgramCommands
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// Lets a program drive sessions with JSON lines: commands on standard input, events on standard
/// output. Commands are performed one after the other, and each gets one answer.
///
/// With several ports, events and commands name the port in the member `port`.
final class JSONController {
  /// The version of the protocol. New events and members do not change it.
  static let version = 1

  private let frontEnd: HeadlessInterface
  private var ports: [JSONPort] = []
  /// The time to wait after the end of the input.
  var linger: Duration
  private lazy var input = ProgramInput<ProgramLine>(
    on: loop, isCrowded: { [frontEnd] in frontEnd.isCrowded },
    isJoining: { [unowned self] in ports.contains(where: \.isJoining) },
    onStep: { [unowned self] in handle($0) })
  /// The present command, until it is answered.
  private var current: JSONPerformance?
  /// The time until the end of the program, when no more commands come.
  private var end: LoopTimer?
  private var events: ObservationToken<HeadlessInterface.Event>?

  private var loop: IOLoop { frontEnd.loop }

  /// Creates a controller of one session.
  init(_ frontEnd: HeadlessInterface, linger: Duration, isReadOnly: Bool) {
    self.frontEnd = frontEnd
    self.linger = linger
    frontEnd.tellsOfTheEnd = true
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
    case .closed:
      portClosed(port)
      input.goOnSoon()
    case .joined: input.goOnSoon()
    }
  }

  /// Sets whether a port is read-only: nothing is sent to it, and its modem lines are not changed.
  func setReadOnly(_ isReadOnly: Bool, port index: Int) {
    ports[index].port.model.update { $0.isReadOnly = isReadOnly }
  }

  /// Sets in which form a port reports what it receives, and what it sends.
  ///
  /// The profile has the commands that the configuration defines; the values say how they send.
  func setForm(by values: Values, _ profile: ProfileInUse, port index: Int) {
    ports[index].sentMap = values[ViewParameters.map]
    ports[index].port.model.update {
      ($0.snippets, $0.sequences) = (profile.snippets, profile.sequences)
      $0.lineEnding = values[KeyboardParameters.lineEnding]
      $0.checksum = values[TextParameters.checksum]
    }
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
        input.goOn()
      case .ending: endRepetitions()
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

  private func say(_ event: String, _ members: [(String, JSON)], to performance: JSONPerformance) {
    say(event, [("id", performance.id)] + members, of: performance.port)
  }

  private func answer(_ event: String, _ members: [(String, JSON)] = []) {
    guard let answered = current else { return }
    current = nil
    say(event, members, to: answered)
    input.answered()
  }

  private func fail(_ reason: String, _ members: [(String, JSON)] = []) {
    answer("failed", [("reason", .string(reason))] + members)
  }

  /// Fails a command that the observed state does not allow.
  private func fail(_ reason: Reason) { answer("failed", reason.members) }

  // MARK: Commands

  private func startReading() {
    do throws(Errno) {
      try input.begin()
    } catch {
      frontEnd.finish(.failure(Failure(inputFailed: error)))
    }
  }

  private func handle(_ step: ProgramLines<ProgramLine>.Step) {
    switch step {
    case .perform(let line): perform(line)
    case .drop(let line): drop(line)
    case .confirm(let line): say("done", [], to: JSONPerformance(line.id))
    case .stop: if let members = current?.stop() { fail("cancelled", members) }
    case .finish: close(after: linger)
    }
  }

  /// Fails a command that was cancelled before it has begun.
  private func drop(_ line: ProgramLine) {
    let dropped = JSONPerformance(line.id)
    do {
      let json = try line.content.get()
      dropped.port = try? port(named: json["port"])
      say(
        "failed",
        [("reason", .string("cancelled"))]
          + JSONPerformance.members(dropping: json, at: dropped.port), to: dropped)
    } catch is FrameDamage {
      finishForLongLine()
    } catch {
      // What is not JSON fails because of that.
      say("failed", [("reason", .string("\(error)"))], to: dropped)
    }
  }

  private func perform(_ line: ProgramLine) {
    let performance = JSONPerformance(line.id)
    current = performance
    do {
      let json = try line.content.get()
      let command = try JSONCommand(json)
      // It is for all ports.
      if case .close = command { return perform(command, at: ports[0]) }
      let port = try port(named: json["port"])
      performance.port = port
      perform(command, at: port)
    } catch is FrameDamage {
      finishForLongLine()
    } catch {
      fail("\(error)")
    }
  }

  private func finishForLongLine() {
    input.end()
    let limit = ProgramLines<ProgramLine>.longestLine
    frontEnd.finish(.failure(Failure(.usage, "a command is longer than \(limit) bytes.")))
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
    // Numbers are recorded from the first request for a picture.
    if case .plot = command { port.startPlot() }
    if let reason = command.record?.needs.unmet(in: port.port.model.state) { return fail(reason) }
    switch command {
    case .send(.bytes(let bytes)): send(bytes, to: port)
    case .send(.text(let text)):
      do {
        send(try port.bytes(of: text), to: port)
      } catch {
        fail("\(error)")
      }
    case .expect(let expression, let limit):
      current?.wait = .expect(
        loop.schedule(after: limit) { [unowned self] in
          port.text.patterns = []
          fail("timeout")
        })
      port.text.patterns = [expression]
    case .perform(let action): action(call(at: port) { [unowned self] _ in answer("done") })
    case .named(let command, let argument):
      command.perform(
        call(argument, at: port) { [unowned self] in answer("done", [("message", .string($0))]) })
    case .configured(let name):
      guard let command = port.port.model.state.commands.first(where: { $0.name == name }) else {
        return fail("there is no \(name.harmless)")
      }
      command.perform(
        call(at: port) { [unowned self] in answer("done", [("message", .string($0))]) })
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
      port.takeBack()
      answer("done")
    case .startLog(let path, let appends): startLog(in: path, appending: appends, at: port)
    case .stopLog:
      port.port.log.switchOff()
      answer("done")
    case .readLog(let order): readLog(order, at: port)
    case .close: performClose()
    }
  }

  /// The maximum time for a piece of the log: a disk, or the owner of a session, may never answer.
  private static let logPatience = Duration.seconds(10)

  private func readLog(_ order: JSONCommand.LogPieceOrder, at port: JSONPort) {
    let performance = current
    performance?.wait = .log(
      loop.schedule(after: Self.logPatience) { [unowned self] in fail("timeout") })
    port.port.controller.readLog(order.count, from: order.offset) {
      [unowned self, weak performance] result in
      guard let performance, performance === current else { return }
      switch result {
      case .success(let piece):
        answer(
          "done",
          [
            ("name", .string(piece.name)), ("size", .integer(piece.size)),
            ("data", .string(Base64.text(of: piece.bytes))),
          ])
      case .failure(let failure): fail(failure.text)
      }
    }
  }

  private func plot(_ size: PlotPicture.Size, at port: JSONPort) {
    do throws(Failure) {
      answer("done", [("svg", JSON(try port.plot?.picture(size)))])
    } catch {
      fail(error.message)
    }
  }

  /// Lends the port. The answer follows when it is closed here.
  private func release(_ port: JSONPort) {
    port.port.model.update { $0.isLending = true }
    if case .released = port.port.session.state { return answer("done") }
    current?.wait = .release(
      port.port.session.observe(.stateChange) { [unowned self] in
        switch $0.new {
        case .released: answer("done")
        case .closed: fail("no device")
        case .open, .opening, .waitingForDevice: break
        }
      })
    port.port.lender.setClaim(true)
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
      current?.wait = .transfer
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
    let performance = current
    performance?.wait = .outcome
    let messages = JSONMessages(of: performance, at: port)
    return CommandCall(
      from: .json, at: port.port, sendingBy: messages, argument: argument
    ) { [unowned self, weak performance] outcome in
      // If the port was closed, that has already been answered.
      guard let performance, performance === current else { return }
      if case .cancelledOutcome = performance.wait {
        fail("cancelled")
      } else if let reason = outcome.obstacle {
        fail(reason)
      } else if let reason = outcome.refusal {
        fail(reason)
      } else {
        done(outcome.message)
      }
    }
  }

  private func send(_ bytes: [UInt8], to port: JSONPort) {
    do throws(SerialError) {
      let wait = try port.write(bytes) { [unowned self] in answer("done") }
      current?.wait = wait
    } catch {
      fail(Failure(error).message)
    }
  }

  /// Fails a command that takes time, such as a break, when its port is closed. What is being sent
  /// waits for a device that may come back.
  private func portClosed(_ port: JSONPort) {
    guard let current, current.port === port else { return }
    switch (current.wait, port.port.session.state) {
    // The end of the session says how many bytes were not sent.
    case (.outcome, _), (.send, .closed): fail("no device")
    // What comes of it comes over the link.
    case (.log, _) where port.port.model.state.sharing.isJoined: fail("no device")
    default: break
    }
  }

  private func endRepetitions() {
    for port in ports { port.repetition.end(because: .ending) }
  }

  private func close(after linger: Duration) {
    input.end()
    endRepetitions()
    end = loop.schedule(after: linger) { [unowned self] in
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
