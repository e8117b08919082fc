import EventLoop
import Glibc
import Observing
import Posix
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
  private let input = StandardFile(.standardInput, O_RDONLY)
  private var lines = InputLines(limit: longestLine)
  private var watch: DescriptorWatch?
  private var output: ObservationToken<OutputChannel.Event>?
  private var next: LoopTimer?
  private var callEnds: ObservationToken<Void>?
  private let rules: AgentRules
  private lazy var server = AgentServer(app, under: rules) { [unowned self] in write($0) }

  /// The maximum length of a line in bytes.
  private static let longestLine = 1_048_576
  /// The time after which no further message is handled in a turn of the loop.
  private static let turn = Duration.milliseconds(2)
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
      case .room: handleLines()
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
    guard input.isUsable else {
      throw Failure(.usage, "standard input is not open: an agent starts 'serialterm mcp'.")
    }
    watch = try app.loop.watch(input.descriptor, for: .reading, isUrgent: true) {
      [unowned self] _ in read()
    }
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
    watch = nil
    (next, callEnds) = (nil, nil)
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

  // MARK: Lines

  private func read() {
    guard lines.read(from: input.descriptor) else { return }
    if lines.hasEnded {
      watch?.cancel()
      watch = nil
    }
    handleLines()
  }

  /// Handles some messages. While answers are not read, no input is read.
  private func handleLines() {
    next = nil
    let deadline = MonotonicTime.now + Self.turn
    repeat {
      guard app.outcome == nil else { return }
      guard !app.console.isCrowded else {
        _ = try? watch?.setInterest([])
        return
      }
      if server.handleNext() { continue }
      switch lines.next() {
      case .success(let line): server.receive(line)
      case .failure: server.receiveTooLong()
      case nil where lines.hasEnded: return awaitAnswers()
      case nil:
        _ = try? watch?.setInterest(.reading)
        return
      }
    } while .now < deadline
    _ = try? watch?.setInterest([])
    next = app.loop.schedule(after: .zero) { [unowned self] in handleLines() }
  }

  /// Ends the program when what the client has asked last is answered, or takes too long.
  private func awaitAnswers() {
    guard server.isAwaited else { return app.finish(.success(.done)) }
    guard callEnds == nil else { return }
    callEnds = server.callEnds.observe { [unowned self] in
      if !server.isAwaited { app.finish(.success(.done)) }
    }
    next = app.loop.schedule(after: Self.patience) { [unowned self] in app.finish(.success(.done)) }
  }

  private func write(_ line: String) {
    var line = "\(line)\n"
    line.withUTF8 { app.console.show(UnsafeRawBufferPointer($0)) }
  }
}
