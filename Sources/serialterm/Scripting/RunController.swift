import EventLoop
import Posix
import Scripting
import SerialCore
import SessionKit
import SystemPackage

/// Runs a script: performs its steps one after the other.
final class RunController {
  private let unattended: UnattendedSession
  private let text: ReceivedTextWatch
  private var tail = ReceivedTail()
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
  private var dialogue: DialogueRun
  /// The line of the present step; 0 before the first.
  private var line = 0
  /// Whether the next step waits until standard output has been read.
  private var isHeldUp = false
  private var drain: Drain?
  private var standstill: StandstillWatch?
  private var timer: LoopTimer?

  private var session: Session { unattended.session }
  private var loop: IOLoop { unattended.loop }

  /// - Parameters:
  ///   - dialogue: The parsed script.
  ///   - script: The name of its file.
  ///   - timeout: The time limit of an expectation for which the script has none.
  ///   - showsDevice: Whether what the device sends goes to standard output.
  init(
    _ dialogue: Dialogue, from script: String, timeout: Duration, showsDevice: Bool,
    _ unattended: UnattendedSession
  ) {
    self.unattended = unattended
    self.script = script
    self.timeout = timeout
    self.showsDevice = showsDevice
    self.dialogue = DialogueRun(dialogue)
    text = ReceivedTextWatch(on: unattended.loop)
    report = RunReport(script: script)
    unattended.session.owner = .script
  }

  /// Runs the script to its end.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    defer { unattended.controller.lineCommands.end() }
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
    text.onMatch = { [unowned self] match in
      text.expressions = []
      dialogue.matched(match)
      goOn()
    }
    text.onPassed = { [unowned self] in if showsDevice { unattended.show($0) } }
    unattended.onReceived = { [unowned self] in
      tail.add($0)
      text.add($0)
    }
    unattended.onLost = { [unowned self] in text.flush() }
    unattended.onRoom = { [unowned self] in if isHeldUp { goOn() } }
    unattended.onReady = { [unowned self] in goOn() }
    return try unattended.run()
  }

  private func startDeadline() {
    deadlineTimer = deadline.map { deadline in
      loop.schedule(after: max(.zero, start + deadline - .now)) { [unowned self] in
        text.flush()
        timedOut("the script did not end within \(deadline.inSeconds) s.")
      }
    }
  }

  /// Performs the next step in the next turn of the loop, so that a script that only prints does not
  /// delay other events.
  private func goOn() {
    standstill = nil
    timer = loop.schedule(after: .zero) { [unowned self] in doNext() }
  }

  private func doNext() {
    // A script that prints waits for a slow reader.
    isHeldUp = unattended.isCrowded
    guard !isHeldUp, !unattended.isOver else { return }
    guard let instruction = dialogue.next() else { return unattended.finish(.success(.done)) }
    line = instruction.line
    report.begin(instruction.action.name, line: line)
    switch instruction.action {
    case .send(let bytes): send(bytes)
    case .expect(let expressions, let limit): expect(expressions, within: limit ?? timeout)
    case .wait(let duration): timer = loop.schedule(after: duration) { [unowned self] in doNext() }
    case .set(let line, let isOn):
      let change =
        isOn ? LineChange(asserting: line.modemLine) : LineChange(deasserting: line.modemLine)
      Command.toggleLine.perform(change, call)
    case .setBaudRate(let rate):
      Command.baudRate.perform(
        SettingsChange(\.baudRate, to: rate),
        CommandCall(from: .script, at: unattended.controller) { [unowned self] in
          unattended.warnOfDifferences()
          goOn($0)
        })
    case .sendBreak(let duration):
      Command.sendBreak.perform(duration, call)
    case .pulse(let line, let duration):
      Command.pulseLine.perform(LinePulse(line.modemLine, for: duration), call)
    case .print(let bytes):
      text.flush()
      (bytes + [0x0A]).withUnsafeBytes { unattended.show($0) }
      goOn()
    case .fail(let reason):
      fail(.otherFailure, isExpectation: true, String(decoding: reason, as: UTF8.self).harmless)
    }
  }

  /// A use of a command, after which the script continues.
  private var call: CommandCall {
    CommandCall(from: .script, at: unattended.controller) { [unowned self] in goOn($0) }
  }

  /// Continues after a command.
  private func goOn(_ outcome: CommandOutcome) {
    if let refusal = outcome.refusal { fail(.otherFailure, refusal) } else { goOn() }
  }

  // MARK: Steps

  private func send(_ bytes: [UInt8]) {
    do throws(SerialError) {
      try session.write(bytes.span.bytes, by: .script)
    } catch {
      return fail(.otherFailure, Failure(error).message)
    }
    standstill = StandstillWatch(session, on: loop, limit: timeout) { [unowned self] in
      timedOut(unattended.standstill("within \(timeout.inSeconds) s"))
    }
    // The next step may be a break or a change of settings, which must not overtake these bytes.
    drain = Drain(session, on: loop, patience: nil) { [unowned self] in goOn() }
  }

  private func expect(_ expressions: [Expression], within limit: Duration) {
    timer = loop.schedule(after: limit) { [unowned self] in
      // Received text that was not searched yet is searched, and shown in any case.
      text.flush()
      guard !text.expressions.isEmpty else { return }
      let names = expressions.map { "/\($0.text)/" }.joined(separator: " or ")
      timedOut("timed out after \(limit.inSeconds) s waiting for \(names.harmless).")
    }
    text.expressions = expressions
  }

  // MARK: Failures

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
    unattended.finish(.failure(Failure(status, "\(place): \(details ?? message)")))
  }

  private func failed(
    _ status: ExitStatus, isExpectation: Bool, _ message: String
  ) -> RunReport.Failed {
    RunReport.Failed(
      isExpectation: isExpectation, status: Int(status.code), message: message.harmless,
      received: tail.lines)
  }
}

extension OutputLine {
  fileprivate var modemLine: ModemLines {
    switch self {
    case .dtr: .dtr
    case .rts: .rts
    }
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
