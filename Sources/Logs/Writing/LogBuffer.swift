import Glibc
import Posix
import SystemPackage

/// What the session's thread and a log's thread share: records that wait, within a bound, and how the
/// writing goes. Neither waits for the other, but for the session's at its end, and not for long.
final class LogBuffer: Sendable {
  private let capacity: Int
  private let state = Guarded(State())
  private let wake: WakePipe

  /// How the writing goes.
  struct Progress: Sendable {
    /// Where it is written to.
    var path: FilePath
    /// Why nothing can be written at present.
    var problem: LogProblem?
  }

  private struct State: Sendable {
    var waiting = RecordBatch()
    /// The memory of what waits, and of what is taken and not written yet.
    var size = 0
    /// How many bytes of the line that is.
    var unwritten = 0
    var isClosed = false
    var isFinished = false
    var progress = Progress(path: "")
  }

  /// Creates a buffer.
  ///
  /// - Parameter capacity: how much memory what waits may take, about.
  /// - Throws: what pipe(2) says.
  init(path: FilePath, capacity: Int) throws(Errno) {
    self.capacity = capacity
    wake = try WakePipe()
    state.withLock { $0.progress.path = path }
  }

  // MARK: The session's thread

  /// Readable when there is news.
  var notification: FileDescriptor { wake.reader }

  /// How the writing goes now; what was news is none any more.
  func progress() -> Progress {
    wake.clear()
    return state.withLock { $0.progress }
  }

  /// How many bytes of the line are taken and not written.
  var unwrittenCount: Int { state.withLock { $0.unwritten } }

  /// Takes a record, if there is room.
  ///
  /// - Parameters:
  ///   - mark: what is to stand in front of it; it is taken only together with the record.
  ///   - part: of the capacity, that may be used.
  func append(_ record: LogRecord, behind mark: LogRecord? = nil, part: Double = 1) -> Bool {
    let size = record.size + (mark?.size ?? 0)
    let limit = Int(Double(capacity) * part)
    return state.withLock { state in
      guard state.size + size <= limit else { return false }
      if let mark { state.waiting.append(mark) }
      state.waiting.append(record)
      state.size += size
      state.unwritten += record.byteCount
      return true
    }
  }

  /// Takes a last record, bound or not.
  func close(with record: LogRecord?) {
    state.withLock { state in
      if let record { state.waiting.append(record) }
      state.isClosed = true
    }
  }

  /// Waits until the other thread has finished.
  ///
  /// - Returns: whether it has.
  func waitForFinish(until deadline: MonotonicTime) -> Bool {
    state.wait(until: deadline) { $0.isFinished }
  }

  // MARK: The log's thread

  /// Waits for records and takes all there are.
  ///
  /// - Parameters:
  ///   - batch: where to; must be empty.
  ///   - deadline: until when to wait.
  /// - Returns: false when none is left, and none will come. None may have come by the deadline.
  func take(into batch: inout RecordBatch, until deadline: MonotonicTime?) -> Bool {
    state.wait(until: deadline) { !$0.waiting.isEmpty || $0.isClosed }
    return state.withLock { state in
      swap(&batch, &state.waiting)
      return !batch.isEmpty || !state.isClosed
    }
  }

  /// Says that a part of what was taken is written.
  ///
  /// - Parameters:
  ///   - count: how many bytes of the line.
  ///   - size: how much memory is free again.
  func didWrite(_ count: Int, freeing size: Int) {
    state.withLock {
      $0.unwritten -= count
      $0.size -= size
    }
  }

  /// Says how the writing goes, if that is new.
  func report(path: FilePath, problem: LogProblem?) {
    let isNew = state.withLock { state in
      guard state.progress.path != path || state.progress.problem != problem else { return false }
      state.progress = Progress(path: path, problem: problem)
      return true
    }
    if isNew { wake.wake() }
  }

  /// Waits a while, or until the buffer is closed.
  ///
  /// - Returns: false if it was closed before.
  func pause(_ duration: Duration) -> Bool {
    if state.withLock({ $0.isClosed }) { return false }
    state.wait(until: .now + duration) { $0.isClosed }
    return true
  }

  /// Says that nothing will be written any more.
  func finish() {
    state.withLock { $0.isFinished = true }
    wake.wake()
  }
}
