import EventLoop
import PlainText
import Posix
import Scripting
import SerialCore
import SessionKit
import SystemPackage

/// Runs a script: its exchange, its report, and what it prints.
final class RunController {
  private let frontEnd: HeadlessInterface
  private var tail = ReceivedTail()
  /// What was received before the exchange begins.
  private var early: [UInt8] = []
  /// What happened in each step; complete when ``run()`` has ended.
  private(set) var report: RunReport
  private let script: String
  /// The time limit of an expectation for which the script has none.
  var timeout: Duration
  /// The time limit of the whole run; nil for none.
  var deadline: Duration? {
    didSet { if deadline != oldValue { startDeadline() } }
  }
  private let start = MonotonicTime.now
  private var deadlineTimer: LoopTimer?
  /// Whether what the device sends goes to standard output.
  var showsDevice: Bool
  private let dialogue: Dialogue
  private var runner: ExchangeRunner<DialogueExchange>?
  /// The line of the present step; 0 before the first.
  private var line = 0
  /// Why the last operation of the line was not performed.
  private var refusal = ""

  private var loop: IOLoop { frontEnd.loop }

  /// - Parameters:
  ///   - dialogue: The parsed script.
  ///   - script: The name of its file.
  ///   - timeout: The time limit of an expectation for which the script has none.
  ///   - showsDevice: Whether what the device sends goes to standard output.
  init(
    _ dialogue: Dialogue, from script: String, timeout: Duration, showsDevice: Bool,
    _ frontEnd: HeadlessInterface
  ) {
    self.frontEnd = frontEnd
    self.script = script
    self.timeout = timeout
    self.showsDevice = showsDevice
    self.dialogue = dialogue
    report = RunReport(script: script)
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
    frontEnd.onReceived = { [unowned self] in
      tail.add($0)
      if runner == nil { early += $0 }
    }
    frontEnd.onLost = { [unowned self] in cutOff() }
    frontEnd.onRoom = { [unowned self] in runner?.goOn() }
    frontEnd.onReady = { [unowned self] in begin() }
    return try frontEnd.run()
  }

  private func startDeadline() {
    deadlineTimer = deadline.map { deadline in
      loop.schedule(after: max(.zero, start + deadline - .now)) { [unowned self] in
        cutOff()
        timedOut("the script did not end within \(deadline.inSeconds) s.")
      }
    }
  }

  /// Ends the exchange, which shows the rest of what was received. The session counts the unsent bytes.
  private func cutOff() {
    var nothing = UnsentBytes()
    runner?.cutOff(discarding: &nothing)
  }

  private func begin() {
    let runner = ExchangeRunner(
      DialogueExchange(dialogue, timeout: timeout), on: frontEnd.session,
      receivingFrom: frontEnd.hub, loop: loop)
    // A script that prints waits for a slow reader.
    runner.isHeldUp = { [frontEnd] in frontEnd.isCrowded || frontEnd.isOver }
    runner.perform = { [unowned self] operation, then in perform(operation, then: then) }
    runner.onReport = { [unowned self] in hear($0) }
    runner.onEnd = { [unowned self] in ended($0) }
    self.runner = runner
    frontEnd.exchange = runner
    do throws(SerialError) {
      try runner.begin(afterReceiving: early)
    } catch {
      fail(.otherFailure, Failure(error).message)
    }
  }

  private func hear(_ report: DialogueExchange.Report) {
    switch report {
    case .step(let instruction):
      line = instruction.line
      self.report.begin(instruction.action.name, line: line)
    case .received(let bytes): if showsDevice { bytes.withUnsafeBytes { frontEnd.show($0) } }
    case .print(let bytes): bytes.withUnsafeBytes { frontEnd.show($0) }
    }
  }

  /// Performs an operation as the command of the palette does.
  private func perform(_ operation: LineOperation, then: @escaping (Bool) -> Void) {
    func call(_ done: @escaping () -> Void = {}) -> CommandCall {
      CommandCall(from: .script, at: frontEnd.port) { [unowned self] outcome in
        done()
        refusal = outcome.refusal ?? ""
        then(outcome.refusal == nil)
      }
    }
    switch operation {
    case .setLines(let asserting, let deasserting):
      Command.toggleLine.perform(
        LineChange(asserting: asserting, deasserting: deasserting), call())
    case .setBaudRate(let rate):
      Command.baudRate.perform(
        SettingsChange(\.baudRate, to: rate),
        call { [frontEnd] in frontEnd.warnOfDifferences() })
    case .sendBreak(let duration): Command.sendBreak.perform(duration, call())
    case .pulse(let line, let duration):
      Command.pulseLine.perform(LinePulse(line, for: duration), call())
    case .setBreak: preconditionFailure("a script has no such step")
    }
  }

  // MARK: The end

  private func ended(_ end: DialogueExchange.End) {
    frontEnd.exchange = nil
    switch end {
    case .done: frontEnd.finish(.success(.done))
    case .timedOut(let expressions, let limit):
      let names = expressions.map { "/\($0.text)/" }.joined(separator: " or ")
      timedOut("timed out after \(limit.inSeconds) s waiting for \(names.harmless).")
    case .standstill: timedOut(frontEnd.standstill("within \(timeout.inSeconds) s"))
    case .refused: fail(.otherFailure, refusal)
    case .sendFailed(let error): fail(.otherFailure, Failure(error).message)
    case .failed(let reason):
      fail(.otherFailure, isExpectation: true, String(decoding: reason, as: UTF8.self).harmless)
    // The session is ending and reports why.
    case .cutOff: break
    }
  }

  /// Why the present step failed, for the report.
  private var reason: RunReport.Failed?

  private func timedOut(_ message: String) {
    fail(.timedOut, isExpectation: true, message, details: tail.message(message))
  }

  private func fail(
    _ status: ExitStatus, isExpectation: Bool = false, _ message: String, details: String? = nil
  ) {
    if reason == nil { reason = failed(status, isExpectation: isExpectation, message) }
    let place = line == 0 ? script : "\(script):\(line)"
    frontEnd.finish(.failure(Failure(status, "\(place): \(details ?? message)")))
  }

  private func failed(
    _ status: ExitStatus, isExpectation: Bool, _ message: String
  ) -> RunReport.Failed {
    RunReport.Failed(
      isExpectation: isExpectation, status: Int(status.code), message: message.harmless,
      received: tail.lines)
  }
}

extension DialogueRun.Action {
  /// The name of the step in a report. It does not contain what is sent, which may be a password.
  fileprivate var name: String {
    switch self {
    case .send: "send"
    case .expect(let expressions, _):
      "expect " + expressions.map { "/\($0.text)/" }.joined(separator: " or ")
    case .wait(let duration): "wait \(duration.inSeconds)s"
    case .set(let line, let isOn): "set \(line.rawValue) \(isOn ? "on" : "off")"
    case .setBaudRate(let rate): "set baud \(rate)"
    case .sendBreak(let duration): "break \(duration.inSeconds)s"
    case .pulse(let line, let duration): "pulse \(line.rawValue) \(duration.inSeconds)s"
    case .print: "print"
    case .fail: "fail"
    }
  }
}
