public import Posix
public import SystemPackage
public import Views

/// A log of a session: takes what passes, at once and always, and has it written by a thread of its
/// own.
///
/// ## Principles of operation
///
/// - Taking a record copies it into a buffer of ``capacity`` bytes, and waits for nothing. A disk that
///   stalls or is full holds up nobody.
/// - What finds no room is counted, and told by ``onNews``. Formats that can hold it say so in the
///   place where it is missing.
/// - The log is written as soon as the disk takes it. Nothing waits for more to come.
///
/// It is confined to one thread, and not `Sendable`.
public final class Log {
  /// How much waits at most, in bytes, its administration included.
  public static let capacity = 8 << 20

  /// How a log is kept.
  public struct Options: Hashable, Sendable {
    /// How it is written.
    public var format = LogFormat.raw
    /// Whether what is sent is logged too, in a format that can tell it apart.
    public var logsSent = false
    /// When a new file is begun.
    public var rotation = LogRotation()
    /// Whether to append to a file that exists.
    public var appends = false
    /// The mode and the group of new files.
    public var access = LogAccess()

    /// A raw log of what is received, in a new file.
    public init() {}
  }

  /// What is new about a log.
  public enum News: Hashable, Sendable {
    /// The buffer is full: what comes now is missing.
    case overflow
    /// What comes now is logged again; so many bytes are missing before it.
    case goesOn(missing: Int)
    /// Something is wrong, or right again.
    case problem(LogProblem?)
  }

  /// Called when there is news, while a record is taken or ``checkProgress()`` runs.
  public var onNews: (News) -> Void = { _ in }

  private let logsSent: Bool
  private let buffer: LogBuffer
  private var progress: LogBuffer.Progress
  /// How many bytes found no room since the last that did.
  private var gap = 0
  /// How many bytes found no room, in all.
  private var refusedCount = 0
  private var unwrittenCount = 0

  /// Opens the file and starts the thread.
  ///
  /// - Throws: ``LogFileError``.
  public init(_ name: LogName, options: Options) throws(LogFileError) {
    logsSent = options.logsSent && options.format.marksDirections
    let file = try LogFile(name, appends: options.appends, access: options.access)
    let path = file.path
    do throws(Errno) {
      buffer = try LogBuffer(path: path, capacity: Self.capacity)
      let writer = LogWriter(
        file, format: options.format, marksDirection: logsSent, rotation: options.rotation,
        from: buffer)
      try DetachedThread.run { writer.run() }
    } catch {
      throw LogFileError(path, .system(error))
    }
    progress = LogBuffer.Progress(path: path)
  }

  deinit { buffer.close(with: nil) }

  /// Where it is written to at present.
  public var path: FilePath { progress.path }

  /// How many bytes are missing so far; after ``finish(by:)`` those too that were not written.
  public var missingCount: Int { refusedCount + unwrittenCount }

  // MARK: Records

  /// Takes what was read, or sent. What is sent is ignored unless it is asked for.
  public func append(_ bytes: UnsafeRawBufferPointer, _ direction: Direction) {
    guard !bytes.isEmpty, direction == .fromDevice || logsSent else { return }
    append(LogRecord(moment: .now, content: .bytes(direction, bytes)))
  }

  /// Takes an event.
  public func append(_ event: LogEvent) {
    append(LogRecord(moment: .now, content: .event(event)))
  }

  private func append(_ record: LogRecord) {
    if gap > 0 {
      // Half of the buffer must be free before it goes on: a gap is better than a hundred.
      let mark = LogRecord(moment: record.moment, content: .gap(gap))
      guard buffer.append(record, behind: mark, part: 0.5) else { return miss(record.byteCount) }
      onNews(.goesOn(missing: gap))
      gap = 0
    } else if !buffer.append(record) {
      miss(record.byteCount)
      onNews(.overflow)
    }
  }

  private func miss(_ count: Int) {
    gap += count
    refusedCount += count
  }

  // MARK: Progress

  /// Readable when ``checkProgress()`` has something to tell. Lent for as long as the log lives.
  public var notification: FileDescriptor { buffer.notification }

  /// Tells what is new since the last time.
  public func checkProgress() {
    let old = progress
    progress = buffer.progress()
    if old.problem != progress.problem { onNews(.problem(progress.problem)) }
  }

  // MARK: The end

  /// Lets the thread come to its end. Nothing may be appended any more.
  public func close() {
    let mark = gap > 0 ? LogRecord(moment: .now, content: .gap(gap)) : nil
    gap = 0
    buffer.close(with: mark)
  }

  /// Waits until everything is written, or cannot be; calls ``close()`` first, for all logs that end
  /// together.
  ///
  /// - Returns: whether the thread is done; if not, the disk holds it.
  @discardableResult
  public func finish(by deadline: MonotonicTime) -> Bool {
    let isDone = buffer.waitForFinish(until: deadline)
    unwrittenCount = buffer.unwrittenCount
    return isDone
  }
}

@available(*, unavailable)
extension Log: Sendable {}
