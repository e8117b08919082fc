import Glibc
import Posix
import SystemPackage
import Time

/// The data shared by the session's thread and a log's thread: a bounded queue of records, and the
/// progress of writing. Neither thread waits for the other, except that the session's thread waits
/// briefly at the end.
final class LogBuffer: Sendable {
  private let capacity: Int
  private let state: Guarded<State>
  private let wake: WakePipe

  /// The progress of writing.
  struct Progress: Sendable, Equatable {
    /// The file.
    var path: FilePath
    /// Why nothing can be written at present; nil if writing works.
    var problem: LogProblem?
    /// What other programs have done to the files of the log so far.
    var changes = LogFile.Changes()
  }

  private struct State: Sendable {
    var waiting = RecordBatch()
    /// The memory of records that are queued, or taken but not written.
    var size = 0
    /// The number of serial bytes in them.
    var unwritten = 0
    var isClosed = false
    var isFinished = false
    var progress: Progress
    /// Kept here alone: an open file that was removed takes room on the disk.
    var place: LogSnapshot.Place
  }

  /// Creates a buffer.
  ///
  /// - Parameter capacity: the approximate limit of the memory of queued records.
  /// - Throws: the errors of pipe(2).
  init(at place: LogSnapshot.Place, capacity: Int) throws(Errno) {
    self.capacity = capacity
    wake = try WakePipe()
    state = Guarded(State(progress: Progress(path: place.path), place: place))
  }

  // MARK: The session's thread

  /// Readable when the progress has changed.
  var notification: FileDescriptor { wake.reader }

  /// Returns the progress, and marks it as seen.
  func progress() -> Progress {
    wake.clear()
    return state.withLock { $0.progress }
  }

  /// Where the log is written. The progress stays unseen.
  var place: LogSnapshot.Place { state.withLock { $0.place } }

  /// The number of serial bytes that are not written yet.
  var unwrittenCount: Int { state.withLock { $0.unwritten } }

  /// Takes a record, if there is room.
  ///
  /// - Parameters:
  ///   - marks: records to insert before it, which are taken only together with it.
  ///   - part: the usable part of the capacity.
  func append(_ record: LogRecord, behind marks: [LogRecord] = [], part: Double = 1) -> Bool {
    let size = marks.reduce(record.size) { $0 + $1.size }
    let limit = Int(Double(capacity) * part)
    return state.withLock { state in
      guard state.size + size <= limit else { return false }
      for mark in marks { state.waiting.append(mark) }
      state.waiting.append(record)
      state.size += size
      state.unwritten += record.byteCount
      return true
    }
  }

  /// Takes a record without bytes, regardless of the capacity.
  func appendAlways(_ record: LogRecord) {
    state.withLock {
      $0.waiting.append(record)
      $0.size += record.size
    }
  }

  /// Closes the buffer after the last records, which are taken regardless of the capacity.
  func close(with records: [LogRecord]) {
    state.withLock { state in
      for record in records { state.waiting.append(record) }
      state.isClosed = true
    }
  }

  /// Waits until the log's thread has finished.
  ///
  /// - Returns: whether it has.
  func waitForFinish(until deadline: MonotonicTime) -> Bool {
    state.wait(until: deadline) { $0.isFinished }
  }

  // MARK: The log's thread

  /// Waits for records and takes all of them.
  ///
  /// - Parameters:
  ///   - batch: the destination; must be empty.
  ///   - deadline: the end of the wait.
  /// - Returns: false if no record is left and none will follow. At the deadline, the batch
  ///   may be empty.
  func take(into batch: inout RecordBatch, until deadline: MonotonicTime?) -> Bool {
    state.wait(until: deadline) { !$0.waiting.isEmpty || $0.isClosed }
    return state.withLock { state in
      swap(&batch, &state.waiting)
      return !batch.isEmpty || !state.isClosed
    }
  }

  /// Records that a part of the taken records was written.
  ///
  /// - Parameters:
  ///   - count: the number of serial bytes.
  ///   - size: the memory that becomes free.
  func didWrite(_ count: Int, freeing size: Int) {
    state.withLock {
      $0.unwritten -= count
      $0.size -= size
    }
  }

  /// Publishes where the log is written, and the progress if it has changed.
  func report(
    _ problem: LogProblem?, at place: LogSnapshot.Place, _ changes: LogFile.Changes
  ) {
    let progress = Progress(path: place.path, problem: problem, changes: changes)
    let isNew = state.withLock { state in
      let isNew = state.progress != progress
      (state.progress, state.place) = (progress, place)
      return isNew
    }
    if isNew { wake.wake() }
  }

  /// Waits for a time, or until the buffer is closed.
  ///
  /// - Returns: false if it was closed before the end of the time.
  func pause(_ duration: Duration) -> Bool {
    if state.withLock({ $0.isClosed }) { return false }
    state.wait(until: .now + duration) { $0.isClosed }
    return true
  }

  /// Records that nothing will be written any more.
  func finish() {
    state.withLock { $0.isFinished = true }
    wake.wake()
  }
}
