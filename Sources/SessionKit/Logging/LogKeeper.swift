package import EventLoop
import Logs
import Views
import Posix
package import SerialCore
package import SystemPackage

/// The logs of a session that are on. The hub serves logs before everything that shows
/// bytes.
package final class LogKeeper: SessionObserver {
  /// The longest time to wait at the end for what is not written yet.
  private static let patience = Duration.milliseconds(400)

  /// The longest time to wait for it when logging is switched on again.
  private static let switchingPatience = Duration.milliseconds(100)

  private let report: (SessionNews) -> Void
  private let loop: IOLoop
  /// What to log. A change does not affect the logs that are on.
  package var configuration = LogConfiguration()
  private var logs: [KeptLog] = []
  /// Logs that were switched off, and are not written to their end.
  private var ending: [KeptLog] = []
  private var missingBefore = 0
  private var hasFinished = false
  private var hasBeenOpen = false
  /// The files of the logs that were switched off last.
  private var lastFiles: [String]?

  private var subscription: Hub.Subscription?

  /// - Parameter report: receives the news of the logs.
  package init(
    of session: Session, _ hub: Hub, on loop: IOLoop, report: @escaping (SessionNews) -> Void
  ) {
    self.report = report
    self.loop = loop
    subscription = hub.subscribe(as: .log) { [unowned self] bytes in
      for kept in logs { kept.log.append(bytes, .fromDevice) }
    }
    session.addObserver(self, of: [.stateChange, .sent, .modemLinesChange, .countersChange])
  }

  /// The file that is logged to now, the first of several.
  package var path: FilePath? { paths.first }

  /// All files that are logged to now.
  package var paths: [FilePath] { logs.map(\.log.path) }

  /// The number of bytes that are missing from all logs.
  package var missingCount: Int {
    (logs + ending).reduce(missingBefore) { $0 + $1.log.missingCount }
  }

  // MARK: On and off

  /// Starts the logs of the configuration.
  ///
  /// - Parameter node: where the device is, if that is known.
  /// - Throws: ``LogError``.
  package func start(for state: SessionState, at node: FilePath?) throws(LogError) {
    for file in configuration.files {
      try start(file, configuration.options(for: file), for: state, at: node)
    }
  }

  private func start(
    _ file: String, _ options: Log.Options, for state: SessionState, at node: FilePath?
  ) throws(LogError) {
    let port = node?.lastComponent?.string ?? "session"
    do throws(LogFileError) {
      let kept = KeptLog(
        try Log(LogName(file, port: port), options: options), report: report)
      try kept.watch(on: loop) { [unowned self] in reap() }
      if case .open(let port, let settings) = state {
        kept.log.append(LogEvent(.opened, at: "\(port)", .settings("\(settings)")))
      }
      logs.append(kept)
    } catch {
      throw .file(error)
    }
  }

  /// Switches logging on: in the same files as before, or in a new one in the working folder.
  ///
  /// - Throws: ``LogError``.
  package func switchOn(for state: SessionState) throws(LogError) {
    // What was switched off a moment ago is usually written soon.
    reap(by: .now + Self.switchingPatience)
    if let log = ending.first {
      throw .stillWritten(log.log.path)
    }
    guard let lastFiles else {
      let file = configuration.standardFile
      var options = configuration.options(for: file)
      options.appends = false
      return try start(file, options, for: state, at: state.endpoint?.path)
    }
    for file in lastFiles {
      var options = configuration.options(for: file)
      options.appends = true
      try start(file, options, for: state, at: state.endpoint?.path)
    }
  }

  package func switchOff() {
    lastFiles = logs.map { $0.log.path.string.replacing("%", with: "%%") }
    for kept in logs { kept.log.close() }
    ending += logs
    logs = []
    reap()
  }

  /// Releases the logs that are written to their end.
  private func reap(by deadline: MonotonicTime = .now) {
    ending.removeAll { kept in
      guard kept.log.finish(by: deadline) else { return false }
      sayMissing(from: kept.log)
      missingBefore += kept.log.missingCount
      return true
    }
  }

  private func sayMissing(from log: Log) {
    let count = log.missingCount
    if count > 0 { report(.notLogged(log.path, count)) }
  }

  /// Waits for a short time until the logs are written, and reports what is not. Calling it again does
  /// nothing.
  package func finish() {
    guard !hasFinished else { return }
    hasFinished = true
    let all = logs + ending
    for kept in all { kept.log.close() }
    let deadline = MonotonicTime.now + Self.patience
    for kept in all {
      if kept.log.finish(by: deadline) {
        sayMissing(from: kept.log)
      } else {
        report(.notWritten(kept.log.path, kept.log.missingCount))
      }
    }
  }

  // MARK: What is logged

  package func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    for kept in logs { bytes.withUnsafeBytes { kept.log.append($0, .toDevice) } }
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    append(LogEvent(from: old, to: new, isReturn: hasBeenOpen))
    if new.isOpen { hasBeenOpen = true }
  }

  package func session(
    _ session: Session, didChangeModemLinesFrom old: ModemLines, to new: ModemLines
  ) {
    append(LogEvent(from: old, to: new, in: session.state))
  }

  package func session(
    _ session: Session, didChangeCountersFrom old: LineCounters, to new: LineCounters
  ) {
    append(LogEvent(errors: new.changes(since: old), in: session.state))
  }

  private func append(_ event: LogEvent?) {
    guard let event else { return }
    for kept in logs { kept.log.append(event) }
  }
}
