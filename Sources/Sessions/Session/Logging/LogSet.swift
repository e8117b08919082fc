import EventLoop
import Logs
import Observing
import Posix
import SystemPackage
import TextStages
import TextTools
import Time

/// Logs that are switched on and off together.
final class LogSet {
  /// The maximum time to wait for unwritten records when logging is switched on again.
  private static let switchingPatience = Duration.milliseconds(100)

  private let loop: IOLoop
  private var logs: [OpenLog] = [] {
    didSet { files = logs.map(\.log.path) }
  }
  /// The files that are being written.
  @Observed private(set) var files: [FilePath] = []
  /// Logs that were switched off and still have records to write.
  private var ending: [OpenLog] = []
  private var missingBefore = 0
  private var hasFinished = false
  /// The logs that were switched off most recently.
  private var last: [NamedLog]?
  private let onStart: (Log) -> Void
  private let report: (SessionNews) -> Void

  /// A log that is on.
  private final class OpenLog {
    let log: Log
    let file: NamedLog
    private var watch: DescriptorWatch?

    init(_ log: Log, as file: NamedLog) { (self.log, self.file) = (log, file) }

    deinit { watch?.cancel() }

    func watch(on loop: IOLoop, onNews: @escaping () -> Void) throws(LogFileError) {
      do throws(Errno) {
        watch = try loop.watch(log.notification, for: .reading) { [unowned self] _ in
          log.checkProgress()
          onNews()
        }
      } catch {
        throw LogFileError(log.path, .system(error))
      }
    }
  }

  /// - Parameters:
  ///   - report: receives news about the logs.
  ///   - onStart: writes the first records of a log.
  init(
    on loop: IOLoop, report: @escaping (SessionNews) -> Void, onStart: @escaping (Log) -> Void
  ) {
    (self.loop, self.report, self.onStart) = (loop, report, onStart)
  }

  /// Whether any file is being written.
  var isOn: Bool { !logs.isEmpty }

  /// The first log; nil if none is on.
  var first: Log? { logs.first?.log }

  /// Whether logs were on earlier, and can be switched on again.
  var wasOn: Bool { last != nil }

  /// The number of bytes that are missing from all logs.
  var missingCount: Int {
    (logs + ending).reduce(missingBefore) { $0 + $1.log.missingCount }
  }

  // MARK: Records

  func append(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, from port: Int = 0, by client: String?,
    at moment: Moment
  ) {
    for open in logs { open.log.append(bytes, direction, from: port, by: client, at: moment) }
  }

  func append(_ event: LogEvent, from port: Int = 0, at moment: Moment) {
    for open in logs { open.log.append(event, from: port, at: moment) }
  }

  /// Writes a mark.
  ///
  /// - Returns: the logs without the mark, with the reason.
  func append(mark: LogEvent, from port: Int = 0, at moment: Moment) -> [UnmarkedLog] {
    logs.compactMap { open in
      let format = open.file.options.format
      guard format.hasEvents else { return .withoutMarks(open.log.path, format) }
      return open.log.append(mark, from: port, at: moment) ? nil : .full(open.log.path)
    }
  }

  func add(_ port: LogPort) {
    for open in logs { _ = open.log.add(port) }
  }

  // MARK: On and off

  /// Starts a log.
  ///
  /// - Parameter port: the replacement of `%t` in the name.
  func start(_ file: NamedLog, port: String) throws(LogError) {
    do throws(LogFileError) {
      let log = try Log(LogName(file.name, port: port), options: file.options) {
        [unowned self] in report(.log($0, $1))
      }
      let open = OpenLog(log, as: file)
      try open.watch(on: loop) { [unowned self] in reap() }
      onStart(log)
      logs.append(open)
    } catch {
      throw .file(error)
    }
  }

  /// Switches the previous logs on again, in the same files. If there were none, starts a new one.
  ///
  /// - Parameters:
  ///   - standard: the new log.
  ///   - port: the replacement of `%t` in its name.
  func switchOn(orElse standard: NamedLog? = nil, port: String = "") throws(LogError) {
    // A log that was just switched off is usually written within a moment.
    reap(by: .now + Self.switchingPatience)
    if let open = ending.first { throw .stillWritten(open.log.path) }
    for file in last ?? [standard].compactMap({ $0 }) { try start(file, port: port) }
  }

  func switchOff() {
    last = logs.map { open in
      var file = open.file
      file.name = open.log.path.string.replacing(text: "%", with: "%%")
      file.options.appends = true
      return file
    }
    for open in logs { open.log.close() }
    ending += logs
    logs = []
    reap()
  }

  /// Releases the logs that have written all their records.
  private func reap(by deadline: MonotonicTime = .now) {
    ending.removeAll { open in
      guard open.log.finish(by: deadline) else { return false }
      reportMissing(from: open.log)
      missingBefore += open.log.missingCount
      return true
    }
  }

  private func reportMissing(from log: Log) {
    let count = log.missingCount
    if count > 0 { report(.notLogged(log.path, count)) }
  }

  // MARK: The end

  /// Ends the logs when everything is written. Append nothing afterwards.
  func close() { for open in logs + ending { open.log.close() } }

  /// Waits until the logs are written, and reports what is missing. Calling it again does nothing.
  func finish(by deadline: MonotonicTime) {
    guard !hasFinished else { return }
    hasFinished = true
    for open in logs + ending {
      if open.log.finish(by: deadline) {
        reportMissing(from: open.log)
      } else {
        report(.notWritten(open.log.path, open.log.missingCount))
      }
    }
  }
}
