import EventLoop
import Framing
import Glibc
import ModelContext
import Observing
import Posix
import ProgramCommands
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import Time

/// The front end of `mcp`: an agent in place of a person. Requests come on standard input, answers
/// go to standard output, one a line. Ports are opened and closed while it runs.
final class AgentInterface: FrontEnd {
  private let app: App
  private lazy var input = ProgramInput<ClientMessage>(
    on: app.loop, isCrowded: { [app] in app.console.isCrowded },
    onStep: { [unowned self] in handle($0) })
  private var output: ObservationToken<OutputChannel.Event>?
  /// The time for the last answers.
  private var end: LoopTimer?
  /// The time for the first message; nil after it. A person may have started the program.
  private var beginning: LoopTimer?
  private var callEnds: ObservationToken<Void>?
  private let rules: AgentRules
  private lazy var server = AgentServer(app, under: rules) { [unowned self] in write($0) }

  private static let explanation =
    "mcp is a server for agents: it waits for messages of the Model Context Protocol (MCP) on standard "
    + "input. ctrl-c ends it. See serialterm mcp --help."

  /// The time for the last answers, and for a client to read them.
  private static let patience = Duration.seconds(2)

  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(under rules: AgentRules, among devices: DeviceCatalog) throws(Errno) {
    self.rules = rules
    app = try App(among: devices, isQuiet: true, isRaw: false)
    output = app.console.outputEvents.observe { [unowned self] in
      switch $0 {
      // A client that has ended.
      case .gone: app.finish(.success(.done))
      case .room: input.goOn()
      case .drained: break
      }
    }
  }

  /// Serves until the end of the input.
  ///
  /// - Throws: the errors of the system.
  func run() throws -> ExitStatus { try app.run(self) }

  // MARK: The front end

  func open() {}

  func begin() throws {
    do throws(Errno) {
      try input.begin()
    } catch .badFileDescriptor {
      throw Failure(.usage, "standard input is not open: an agent starts 'serialterm mcp'.")
    }
    awaitBeginning()
  }

  func finishOutput() throws {
    // The client may have ended without reading.
    let deadline = app.loop.now + Self.patience
    let timer = app.loop.schedule(after: Self.patience) {}
    try withExtendedLifetime(timer) {
      try app.runOn { [app] in !app.console.isDrained && app.loop.now < deadline }
    }
  }

  func stop() {
    input.end()
    (end, callEnds, beginning) = (nil, nil, nil)
    server.stop()
  }

  func finishDisplay() {}

  /// Bytes that the device has not got were reported to the agent.
  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure> {
    if case .failure(let failure) = outcome, failure.status == .outputGone {
      return .success(.done)
    }
    return outcome
  }

  // MARK: Messages

  private func handle(_ step: ProgramLines<ClientMessage>.Step) {
    switch step {
    case .perform(let message):
      beginning = nil
      server.handle(message)
    case .finish:
      if beginning != nil { StandardStream.complain(Self.explanation) }
      awaitAnswers()
    // Requests do not wait for each other. A cancel names the one that it stops.
    case .drop, .confirm, .stop: break
    }
  }

  /// Says what the program waits for, if nothing comes. A client begins at once, and its user may
  /// see what is on standard error.
  private func awaitBeginning() {
    let patience: Duration = FileDescriptor.standardInput.isTerminal ? .zero : .seconds(1)
    beginning = app.loop.schedule(after: patience) { [unowned self] in
      beginning = nil
      StandardStream.complain(Self.explanation)
    }
  }

  /// Ends the program when what the client has asked last is answered, or takes too long.
  private func awaitAnswers() {
    guard server.isAwaited else { return app.finish(.success(.done)) }
    callEnds = server.callEnds.observe { [unowned self] in
      if !server.isAwaited { app.finish(.success(.done)) }
    }
    end = app.loop.schedule(after: Self.patience) { [unowned self] in app.finish(.success(.done)) }
  }

  private func write(_ line: String) {
    var line = "\(line)\n"
    line.withUTF8 { app.console.show(UnsafeRawBufferPointer($0)) }
  }
}

extension ClientMessage: ProgramMessage {
  static let beginsInTurn = false

  static func messages(of line: Result<String, FrameDamage>) -> [ClientMessage] {
    switch line {
    case .success(let text): text.allSatisfy(\.isWhitespace) ? [] : parse(text)
    case .failure(let damage):
      [.invalid(nil, damage == .notUTF8 ? .notJSON : .invalidRequest("the line is too long"))]
    }
  }
}
