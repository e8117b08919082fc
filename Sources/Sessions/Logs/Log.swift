package import Framing
public import Plotting
import Posix
public import SystemPackage
public import TextStages
public import Time

/// A log of one or several sessions. It takes records without waiting, and writes them on
/// a separate thread.
///
/// ## Principles of operation
///
/// - Taking a record copies it into a buffer of ``capacity`` bytes and never waits. A disk that
///   stalls or is full delays nothing else.
/// - Bytes that do not fit into the buffer are dropped, counted, and reported as ``News``. Formats
///   with events mark the gap.
/// - Records are written as soon as the disk accepts them.
/// - If several ports write to one log, records are in the order in which they are taken, each
///   record names its port, and gaps are counted for each port.
///
/// It is confined to one thread, and not `Sendable`.
public final class Log {
  /// The maximum memory of unwritten records in bytes, including overhead.
  public static let capacity = 8 << 20

  /// The options of a log.
  public struct Options: Hashable, Sendable {
    /// The format.
    public var format = LogFormat.raw
    /// The form of the lines with numbers, for a table; nil to find it.
    public var sampleForm: SampleForm?
    /// The form of frames, if each frame is a record of its own; nil for a record for each read.
    /// Raw logs and tables ignore it.
    package var frameForm: ChosenFrameForm?
    /// Whether sent bytes are logged too. The format must distinguish them.
    public var logsSent = false
    /// Whether the ports are the sides of one line, as in a tap: each record has the direction of
    /// its bytes on that line. Formats that cannot contain it log all bytes as received.
    public var marksDirection = false
    /// Whether several ports write to the log, so that every entry names its port. The format must
    /// support that (``LogFormat/namesPorts``).
    public var namesPorts = false
    /// When to start a new file.
    public var rotation = LogRotation()
    /// Whether to append to an existing file.
    public var appends = false
    /// Whether a regular file that exists is removed first. Only for a file that the user
    /// wants to replace.
    public var replaces = false
    /// The mode and the group of new files.
    public var access = LogAccess()

    /// Creates the options of a raw log of received bytes in a new file.
    public init() {}
  }

  /// A change of the state of a log.
  public enum News: Hashable, Sendable {
    /// The buffer is full: bytes are missing from now on.
    case overflow
    /// Logging continues. The value is the number of missing bytes.
    case resumed(missing: Int)
    /// There is a problem.
    case problem(LogProblem)
    /// A problem is over.
    case solved(LogProblem)
    /// Another program has shortened the file. Reported once for each log.
    case shortened
    /// The file could not be continued, because its last record is incomplete. Another one has
    /// begun; the value is where the old one is now.
    case setAside(FilePath)
  }

  private let report: (FilePath, News) -> Void
  /// Whether bytes in the direction to the device are logged.
  private let logsSent: Bool
  /// Whether the format distinguishes the directions.
  private let marksDirection: Bool
  private let buffer: LogBuffer
  private var progress: LogBuffer.Progress
  /// The number of bytes of each port that were dropped since its last record.
  private var gaps: [Int]
  private var gap: Int { gaps.reduce(0, +) }
  /// The total number of dropped bytes.
  private var refusedCount = 0
  private var unwrittenCount = 0
  private var clock: ClockSteps

  /// Opens the file and starts the thread.
  ///
  /// - Parameter report: receives news with the path that the file has, or had then,
  ///   during ``append(_:_:from:by:)`` or ``checkProgress()``.
  /// - Throws: ``LogFileError``.
  public convenience init(
    _ name: LogName, options: Options, report: @escaping (FilePath, News) -> Void = { _, _ in }
  ) throws(LogFileError) {
    try self.init(name, options: options, clock: ClockSteps(), report: report)
  }

  init(
    _ name: LogName, options: Options, clock: ClockSteps,
    report: @escaping (FilePath, News) -> Void = { _, _ in }
  ) throws(LogFileError) {
    self.clock = clock
    precondition(!options.namesPorts || options.format.namesPorts)
    self.report = report
    marksDirection = (options.logsSent || options.marksDirection) && options.format.hasEvents
    logsSent = marksDirection || options.marksDirection
    gaps = options.namesPorts ? [] : [0]
    let file = try LogFile(
      name, appends: options.appends, replaces: options.replaces, access: options.access)
    let place = file.place
    do throws(Errno) {
      buffer = try LogBuffer(at: place, capacity: Self.capacity)
      let writer = LogWriter(
        file,
        options.format.encoder(
          marksDirection: marksDirection, namesPorts: options.namesPorts,
          sampleForm: options.sampleForm, frameForm: options.frameForm),
        isDivisible: options.format.isDivisible, rotation: options.rotation, from: buffer)
      try DetachedThread.run { writer.run() }
    } catch {
      throw LogFileError(place.path, .system(error))
    }
    progress = LogBuffer.Progress(path: place.path)
  }

  deinit { buffer.close(with: []) }

  /// The path of the present file.
  public var path: FilePath { progress.path }

  /// Where the log is written now, for readers.
  package var place: LogSnapshot.Place { buffer.place }

  /// The number of missing bytes. After ``finish(by:)`` it includes bytes that were not written.
  public var missingCount: Int { refusedCount + unwrittenCount }

  // MARK: Records

  /// Adds a port to a log of several ports.
  ///
  /// - Returns: the number of the port, for its records.
  public func add(_ port: LogPort) -> Int {
    gaps.append(0)
    let number = gaps.count - 1
    buffer.appendAlways(LogRecord(moment: .now, port: number, content: .port(port)))
    return number
  }

  /// Takes received or sent bytes. Those in the direction to the device are ignored unless the
  /// options include them.
  ///
  /// - Parameters:
  ///   - port: the number of the port; 0 in the log of a single port.
  ///   - client: the name of the client that sent the bytes; nil for any other sender.
  ///   - moment: the time of the read or write, the same for all logs that take the bytes.
  public func append(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, from port: Int = 0,
    by client: String? = nil, at moment: Moment = .now
  ) {
    guard !bytes.isEmpty, direction == .fromDevice || logsSent else { return }
    let direction = marksDirection ? direction : .fromDevice
    append(LogRecord(moment: moment, port: port, content: .bytes(direction, bytes, by: client)))
  }

  /// Takes an event.
  ///
  /// - Parameters:
  ///   - port: the number of the port; 0 in the log of a single port.
  ///   - moment: the time of the event.
  /// - Returns: whether there was room for it.
  @discardableResult
  public func append(_ event: LogEvent, from port: Int = 0, at moment: Moment = .now) -> Bool {
    append(LogRecord(moment: moment, port: port, content: .event(event)))
  }

  @discardableResult
  private func append(_ record: LogRecord) -> Bool {
    clock.notice(record.moment)
    let gap = gap
    if gap > 0 {
      // Continues when half of the buffer is free: one gap is better than a hundred.
      let marks = clockMarks(before: record) + gapMarks(at: record.moment)
      guard buffer.append(record, behind: marks, part: 0.5) else {
        miss(record)
        return false
      }
      forgetGaps()
      report(path, .resumed(missing: gap))
    } else if !buffer.append(record, behind: clockMarks(before: record)) {
      miss(record)
      report(path, .overflow)
      return false
    }
    clock.reset()
    return true
  }

  private func miss(_ record: LogRecord) {
    gaps[record.port] += record.byteCount
    refusedCount += record.byteCount
  }

  /// The records of the gaps, one for each port with missing bytes.
  private func gapMarks(at moment: Moment) -> [LogRecord] {
    gaps.indices.filter { gaps[$0] > 0 }.map {
      LogRecord(moment: moment, port: $0, content: .gap(gaps[$0]))
    }
  }

  /// The record of a step of the clock, in front of the first record after it. It belongs to the
  /// log, and has the port of that record.
  private func clockMarks(before record: LogRecord) -> [LogRecord] {
    guard clock.pending != 0 else { return [] }
    let new = record.moment.wallClock
    let event = LogEvent(.clock, at: "", .clock(old: new.steppedBack(by: clock.pending), new: new))
    return [LogRecord(moment: record.moment, port: record.port, content: .event(event))]
  }

  private func forgetGaps() {
    for port in gaps.indices { gaps[port] = 0 }
  }

  // MARK: Progress

  /// Readable when ``checkProgress()`` has something to report. Valid as long as the log exists.
  public var notification: FileDescriptor { buffer.notification }

  /// Reports the changes since the last call.
  public func checkProgress() {
    let old = progress
    progress = buffer.progress()
    let changes = progress.changes
    if let path = changes.shortened, old.changes.shortened == nil { report(path, .shortened) }
    if let file = changes.setAside, file != old.changes.setAside {
      report(file.old, .setAside(file.path))
    }
    guard old.problem != progress.problem else { return }
    if let problem = progress.problem {
      report(path, .problem(problem))
    } else if let problem = old.problem {
      report(path, .solved(problem))
    }
  }

  // MARK: The end

  /// Ends the thread when everything is written. Append nothing afterwards.
  public func close() {
    buffer.close(with: gapMarks(at: .now))
    forgetGaps()
  }

  /// Waits until everything is written, or cannot be written. If several logs end together, call
  /// ``close()`` for all of them first.
  ///
  /// - Returns: whether the thread has ended. If not, the disk blocks it.
  @discardableResult
  public func finish(by deadline: MonotonicTime) -> Bool {
    let isDone = buffer.waitForFinish(until: deadline)
    unwrittenCount = buffer.unwrittenCount
    return isDone
  }
}

extension UInt64 {
  /// A time before a step, clamped to the range of the type.
  fileprivate func steppedBack(by step: Int64) -> UInt64 {
    let (time, overflow) =
      step > 0
      ? subtractingReportingOverflow(step.magnitude) : addingReportingOverflow(step.magnitude)
    return overflow ? (step > 0 ? .min : .max) : time
  }
}

@available(*, unavailable)
extension Log: Sendable {}

/// A problem with writing a log.
public enum LogProblem: Hashable, Sendable {
  /// Nothing can be written. The value is the error of write(2).
  case unwritable(Errno)
  /// The next file cannot be started. The present one stays in use.
  case notRotated(LogFileError)
  /// Another program has moved the file, and a new one cannot be started. The moved one stays in
  /// use.
  case moved(LogFileError)
  /// Another program has removed the file, and a new one cannot be started. Nothing is written.
  case removed(LogFileError)
  /// The last record of the file is incomplete, so that no reader finds one behind it, and a new
  /// file cannot be started. Nothing is written.
  case incomplete(LogFileError)
}
