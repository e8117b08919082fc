import DeviceWatch
import EventLoop
import Glibc
import Logs
import Observing
import Options
import Posix
import ProgramCommands
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// Lets a program drive sessions with JSON lines: commands on standard input, events on standard
/// output. ``JSONProtocol`` decides what is performed and answered; this performs it.
///
/// With several ports, events and commands name the port in the member `port`.
final class JSONController {
  private let frontEnd: HeadlessInterface
  private var ports: [JSONPort] = []
  private var program = JSONProtocol()
  /// The time to wait after the end of the input.
  var linger: Duration
  private lazy var input = ProgramInput<ProgramLine>(
    on: loop, isCrowded: { [frontEnd] in frontEnd.isCrowded },
    isJoining: { [unowned self] in ports.contains(where: \.isJoining) },
    onStep: { [unowned self] in handle(.step($0)) })
  /// What the command that runs waits for, until it is answered: a timer, an observation.
  private var awaited: AnyObject?
  /// The time until the end of the program, when no more commands come.
  private var end: LoopTimer?
  private var events: ObservationToken<HeadlessInterface.Event>?

  /// Answers the command that is performed. Only the first outcome counts.
  private typealias Answer = (JSONProtocol.Outcome) -> Void

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
    let index = ports.count
    program.names.append(nil)
    ports.append(
      JSONPort(
        adopted, on: loop, isCrowded: { [frontEnd] in frontEnd.isCrowded },
        onReport: { [unowned self] in handle($0, of: index) }))
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
    program.names = names
    for (port, name) in zip(ports, names) { port.port.name = name }
  }

  /// Runs until the end of the input, or a `close` command.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    let names = program.names.compactMap(\.self).map { JSON.string($0) }
    let members: JSONProtocol.Members = names.isEmpty ? [] : [("ports", .array(names))]
    write(program.line("hello", [("version", .integer(JSONProtocol.version))] + members))
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

  private func startReading() {
    do throws(Errno) {
      try input.begin()
    } catch {
      frontEnd.finish(.failure(Failure(inputFailed: error)))
    }
  }

  // MARK: Events and actions

  private func handle(_ report: JSONPort.Report, of index: Int) {
    switch report {
    case .event(let event, let members): write(program.line(event, members, port: index))
    case .matched(let groups): handle(.matched(groups))
    case .sends(let drain, let count):
      hold(drain)
      handle(.sends(byteCount: count))
    case .closed:
      let port = ports[index].port
      let isFinal = if case .closed = port.session.state { true } else { false }
      let isJoined = port.model.state.sharing.isJoined
      handle(.closed(port: index, isFinal: isFinal, isJoined: isJoined))
      input.goOnSoon()
    case .joined: input.goOnSoon()
    }
  }

  private func handle(_ event: JSONProtocol.Event) {
    for action in program.handle(event) {
      switch action {
      case .write(let line): write(line)
      case .perform(let command, let port, let number):
        perform(command, at: port) { [unowned self] in handle(.ended(number, $0)) }
      case .stop(let wait, let port): stop(wait, at: ports[port])
      case .release:
        awaited = nil
        input.answered()
      case .drop(let content, let id, let port):
        let count = (try? ports[port].bytes(of: content))?.count
        write(program.answer(.cancelled(unsentCount: count), to: id, port: port))
      case .finish: close(after: linger)
      case .fail(let failure):
        input.end()
        frontEnd.finish(.failure(failure))
      }
    }
  }

  private func write(_ line: String) {
    var line = line
    line.withUTF8 { frontEnd.write(UnsafeRawBufferPointer($0)) }
  }

  /// Keeps what the command waits for, unless it was answered meanwhile.
  private func hold(_ object: AnyObject) { if program.isBusy { awaited = object } }

  private func stop(_ wait: JSONProtocol.Wait, at port: JSONPort) {
    var unsentCount = 0
    switch wait {
    case .expect: port.text.patterns = []
    case .send:
      let session = port.port.session
      // A text that is repeated goes with it.
      unsentCount = session.discardUnsent(by: .program)
      session.pacer?.sessionDidGiveUp(session)
    case .transfer: port.port.controller.sending.exchange?.stop()
    case .release: port.takeBack()
    case .outcome:
      port.port.lineCommands.end()
      port.port.sequences.stop()
    // Its answer is not used.
    case .log, .stopping: break
    }
    handle(.stopped(unsentCount: unsentCount))
  }

  // MARK: Commands

  private func perform(_ command: JSONCommand, at index: Int, answer: @escaping Answer) {
    do {
      if let members = try begin(command, at: index, answer) { answer(.done(members)) }
    } catch {
      let failure = error as? Failure ?? (error as? SerialError).map { Failure($0) }
      answer(.failed(failure?.message ?? "\(error)"))
    }
  }

  /// Begins to perform a command.
  ///
  /// - Returns: the members of the answer if it is done; nil if `answer` is called.
  /// - Throws: why it has failed.
  private func begin(
    _ command: JSONCommand, at index: Int, _ answer: @escaping Answer
  ) throws -> JSONProtocol.Members? {
    let port = ports[index]
    // Numbers are recorded from the first request for a picture.
    if case .plot = command { port.startPlot() }
    if let reason = command.record?.needs.unmet(in: port.port.model.state) {
      answer(.unavailable(reason))
      return nil
    }
    switch command {
    case .send(let content): try port.write(try port.bytes(of: content)) { answer(.done()) }
    case .expect(let expression, let limit):
      hold(
        loop.schedule(after: limit) {
          port.text.patterns = []
          answer(.failed("timeout"))
        })
      port.text.patterns = [expression]
    case .perform(let action, let argument, let saysMessage):
      action(call(argument, at: port, saysMessage: saysMessage, answer))
    case .transfer(let order): try transfer(order, at: index, answer)
    case .watch(let order):
      answer(.done())
      port.watch(order)
    case .plot(let size): return [("svg", JSON(try port.plot?.picture(size)))]
    case .release: release(port, answer)
    case .takeBack:
      port.takeBack()
      return []
    case .startLog(let path, let appends):
      return try startLog(in: path, appending: appends, by: port.port.log)
    case .stopLog:
      port.port.log.switchOff()
      return []
    case .readLog(let order): readLog(order, at: port, answer)
    case .close:
      answer(.done())
      close(after: .zero)
    }
    return nil
  }

  /// Makes a call of a session command, which answers the program's.
  ///
  /// - Parameter saysMessage: whether the answer has the message of the outcome.
  private func call(
    _ argument: String?, at port: JSONPort, saysMessage: Bool, _ answer: @escaping Answer
  ) -> CommandCall {
    CommandCall(from: .json, at: port.port, sendingBy: port, argument: argument) { outcome in
      if let reason = outcome.obstacle {
        answer(.unavailable(reason))
      } else if let reason = outcome.refusal {
        answer(.failed(reason))
      } else {
        answer(.done(saysMessage ? [("message", .string(outcome.message))] : []))
      }
    }
  }

  /// The maximum time for a piece of the log: a disk, or the owner of a session, may never answer.
  private static let logPatience = Duration.seconds(10)

  private func readLog(
    _ order: JSONCommand.LogPieceOrder, at port: JSONPort, _ answer: @escaping Answer
  ) {
    hold(loop.schedule(after: Self.logPatience) { answer(.failed("timeout")) })
    port.port.controller.userSharing.readLog(order.count, from: order.offset) { result in
      switch result {
      case .success(let piece):
        answer(
          .done([
            ("name", .string(piece.name)), ("size", .integer(piece.size)),
            ("data", .string(Base64.text(of: piece.bytes))),
          ]))
      case .failure(let failure): answer(.failed(failure.text))
      }
    }
  }

  /// Lends the port. The answer follows when it is closed here.
  private func release(_ port: JSONPort, _ answer: @escaping Answer) {
    port.port.model.update { $0.isLending = true }
    if case .released = port.port.session.state { return answer(.done()) }
    hold(
      port.port.session.observe(.stateChange) {
        switch $0.new {
        case .released: answer(.done())
        case .closed: answer(.failed("no device"))
        case .open, .opening, .waitingForDevice: break
        }
      })
    port.port.lender.setClaim(true)
  }

  private func startLog(
    in path: FilePath, appending appends: Bool, by log: SessionLogger
  ) throws(JSONCommand.Mistake) -> JSONProtocol.Members {
    if let path = log.path { throw JSONCommand.Mistake("a log is on already: \(path)") }
    guard log.sharingCount == nil else {
      throw JSONCommand.Mistake("the log is shared by several ports")
    }
    let file = (FilePath(".").realPath ?? ".").pushing(path)
    do throws(LogError) {
      try log.switchOn(in: file, appending: appends)
    } catch {
      throw JSONCommand.Mistake("cannot log: \(Failure(error).message)")
    }
    return [("path", JSON(log.path?.string))]
  }

  private func transfer(
    _ order: TransferOrder, at index: Int, _ answer: @escaping Answer
  ) throws {
    let player = try TransferPlayer(
      order, on: ports[index].port, loop: loop, outlivesLoss: false,
      onReport: { [unowned self] in
        let (event, members) = $0.event
        write(program.line(event, members, port: index))
      },
      onEnd: {
        switch $0 {
        case .done: answer(.done())
        case .failed(let message), .timedOut(let message), .stopped(let message),
          .cutOff(let message):
          answer(.failed(message))
        }
      })
    try player.begin()
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

extension TransferPlayer.Report {
  /// The event that reports it, and its members.
  fileprivate var event: (String, JSONProtocol.Members) {
    switch self {
    case .status(let status): ("progress", status.members)
    case .file(let file, let path): ("file", file.members(storedAt: path))
    case .message(let text): ("message", [("text", .string(text))])
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
