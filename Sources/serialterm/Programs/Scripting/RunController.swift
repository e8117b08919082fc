import EventLoop
import Framing
import Observing
import Patterns
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools
import Time

/// Runs a script to its end, writes its report, and prints its output.
final class RunController {
  private let frontEnd: HeadlessInterface
  /// The results of the steps; complete when ``run()`` has returned.
  private(set) var report: RunReport
  /// The time limit of an expectation without one in the script.
  var timeout: Duration
  /// The time limit of the whole run; nil for none.
  var deadline: Duration? {
    didSet { if deadline != oldValue { startDeadline() } }
  }
  /// The time that the deadline counts from.
  private let start: MonotonicTime
  private var deadlineTimer: LoopTimer?
  /// Whether received bytes go to standard output.
  var showsDevice: Bool
  /// The text that means a failure; nil for none.
  var failure: ExpectedPattern?
  /// Shows the progress of the script's transfers.
  let progress: ProgressDisplay
  private var failureSearch: FailureSearch?
  private let script: Script
  private let frameForm: ChosenFrameForm?
  private lazy var player = ScriptPlayer(
    script.dialogue, named: script.name, framedBy: frameForm, on: frontEnd.port, loop: loop,
    // A script that prints waits for a slow reader.
    isHeldUp: { [frontEnd] in frontEnd.isCrowded || frontEnd.isOver },
    stopReason: { [unowned frontEnd] in frontEnd.stopReason },
    onEvent: { [unowned self] in handle($1) })
  private var events: ObservationToken<HeadlessInterface.Event>?

  private var loop: IOLoop { frontEnd.loop }

  /// - Parameters:
  ///   - timeout: the time limit of an expectation without one in the script.
  ///   - frameForm: the form of frames in whose lines is searched; nil for text.
  ///   - showsDevice: whether received bytes go to standard output.
  ///   - start: the time that the deadline counts from.
  init(
    _ script: Script, timeout: Duration, framedBy frameForm: ChosenFrameForm?, showsDevice: Bool,
    since start: MonotonicTime,
    _ frontEnd: HeadlessInterface
  ) {
    self.frontEnd = frontEnd
    self.start = start
    self.timeout = timeout
    self.showsDevice = showsDevice
    self.script = script
    self.frameForm = frameForm
    progress = ProgressDisplay(.auto, on: frontEnd.console)
    report = RunReport(script: script.name)
  }

  /// Runs the script to its end.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    defer { frontEnd.port.lineCommands.end() }
    do {
      let status = try perform()
      let signal: RunReport.Failed? =
        status == .done
        ? nil
        : failed(status, isExpectation: false, "ended with status \(status.code)")
      report.end(signal)
      return status
    } catch {
      let failure = (error as? Failure) ?? Failure(.otherFailure, "\(error)")
      if reason?.status != Int(failure.status.code) { reason = nil }
      report.end(reason ?? failed(failure.status, isExpectation: false, failure.message))
      throw error
    }
  }

  private func perform() throws -> ExitStatus {
    // It gets the bytes that the device sends before the script begins.
    let player = player
    events = frontEnd.events.observe { [unowned self] in
      switch $0 {
      case .lost: player.cutOff()
      case .room: player.resume()
      case .ready: begin()
      case .waiting, .ending: break
      }
    }
    return try frontEnd.run()
  }

  private func startDeadline() {
    deadlineTimer = deadline.map { deadline in
      loop.schedule(after: max(.zero, start + deadline - .now)) { [unowned self] in
        end(player.timedOut("the script did not end within \(deadline.inSeconds) s."))
      }
    }
  }

  /// Ends the script for a reason that is not its step's. A file transfer informs the other side
  /// when the program ends.
  private func end(_ failure: ScriptFailure) {
    fail(failure)
    if !player.takesLeave { player.cutOff() }
  }

  private func begin() {
    failureSearch = FailureSearch(
      failure, in: frontEnd.session, afterReceiving: player.early.bytes,
      encoding: frontEnd.controller.encoding, on: loop
    ) { [unowned self] in end(player.failedOn($0)) }
    do throws(ScriptFailure) {
      try player.begin(timeout: timeout)
    } catch {
      fail(error)
    }
  }

  private func handle(_ event: ScriptPlayer.Event) {
    switch event {
    case .step(let step): report.begin(step)
    case .roundMatched: report.match()
    case .timedOut(let message, let losesBytes):
      report.timeOut(message)
      if losesBytes { frontEnd.console.warn(player.named(message)) }
    case .received(let bytes): if showsDevice { show(bytes) }
    case .frame(let frame): failureSearch?.add(frame, isText: frameForm?.isText == true)
    case .print(let bytes): show(bytes)
    case .transfer(.status(let status)): progress.show(status)
    case .transfer(let report): if let sentence = report.sentence { frontEnd.console.say(sentence) }
    case .ended(let end): ended(end)
    }
  }

  private func show(_ bytes: [UInt8]) { bytes.withUnsafeBytes { frontEnd.show($0) } }

  // MARK: The end

  private func ended(_ end: ScriptPlayer.End) {
    failureSearch = nil
    progress.end()
    switch end {
    case .done: frontEnd.finish(.success(.done))
    case .failed(let failure): fail(failure)
    // The session is already ending, and reports the reason.
    case .stopped, .cutOff: break
    }
  }

  /// Why the present step failed, for the report.
  private var reason: RunReport.Failed?

  private func fail(_ failure: ScriptFailure) {
    // The program is ending for another reason, and the transfer says how far it got.
    if frontEnd.isEnding { frontEnd.console.warn("\(failure.place): \(failure.message)") }
    if reason == nil {
      reason = failed(failure.status, isExpectation: failure.isExpectation, failure.message)
    }
    frontEnd.finish(.failure(Failure(failure)))
  }

  private func failed(
    _ status: ExitStatus, isExpectation: Bool, _ message: String
  ) -> RunReport.Failed {
    RunReport.Failed(
      isExpectation: isExpectation, status: Int(status.code), message: message.harmless,
      received: player.tail.lines)
  }
}

extension Failure {
  /// The failure of a program that runs a script.
  init(_ failure: ScriptFailure) {
    self.init(failure.status, "\(failure.place): \(failure.details)")
  }
}
