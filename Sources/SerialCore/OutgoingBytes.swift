import Posix

/// The bytes that were written to a session and are not on the line yet, with their authors: those
/// that wait, and those that the driver has taken and not sent.
///
/// It performs nothing: ``Session`` writes ``front``, and reports what the driver has taken.
struct OutgoingBytes: ~Copyable {
  private var queue: ByteQueue
  /// The number of bytes at the front of the queue that the driver has taken, while observers are
  /// notified of them.
  private var takenCount = 0
  /// The authors of the bytes that the driver has not taken.
  private var waitingAuthors = AuthorRuns()
  /// The authors of the bytes that the driver has taken, at least of those that it has not sent.
  private var takenAuthors = AuthorRuns()
  /// The number of runs in `takenAuthors` at which those that were sent are forgotten.
  private var takenRunLimit = leastTakenRunLimit
  /// What lost links had taken and not sent.
  private var lost = UnsentBytes()

  private static let leastTakenRunLimit = 16

  /// - Parameter capacity: the maximum number of bytes that wait, at least 1.
  init(capacity: Int) { queue = ByteQueue(capacity: capacity) }

  // MARK: Waiting

  /// Whether no bytes are in the queue, also none that observers are notified of now.
  var isEmpty: Bool { queue.isEmpty }
  /// The number of bytes that still fit.
  var room: Int { queue.room }
  /// The number of bytes that the driver has not taken.
  var count: Int { queue.count - takenCount }
  /// The bytes to write next, valid until ``removeTaken()``; empty if none wait.
  var front: UnsafeRawBufferPointer { queue.front }

  /// The number of bytes of an author that the driver has not taken.
  func count(by author: Author) -> Int { waitingAuthors.count(by: author) }

  /// Appends all of the bytes, or none if they do not fit.
  ///
  /// - Returns: whether they fit.
  mutating func append(_ bytes: UnsafeRawBufferPointer, by author: Author) -> Bool {
    guard queue.append(bytes) else { return false }
    waitingAuthors.append(bytes.count, by: author)
    return true
  }

  /// Discards what the driver has not taken.
  ///
  /// - Returns: the bytes that were discarded.
  mutating func discardWaiting() -> UnsentBytes {
    queue.removeLast(count)
    return waitingAuthors.removeLast(waitingAuthors.count)
  }

  /// Discards what an author has written and the driver has not taken. The bytes of others keep
  /// their order.
  ///
  /// - Returns: the number of bytes that were discarded.
  mutating func discardWaiting(by author: Author) -> Int {
    let ranges = waitingAuthors.removeAll(by: author)
    // From the end, so that the other offsets stay true.
    for range in ranges.reversed() {
      queue.remove((takenCount + range.lowerBound)..<(takenCount + range.upperBound))
    }
    return ranges.reduce(0) { $0 + $1.count }
  }

  // MARK: With the driver

  /// Notes that the driver has taken bytes at the front. They stay in place until
  /// ``removeTaken()``, so that observers can see them.
  ///
  /// - Returns: whose they are, the first run and the others. A single author is a single run.
  mutating func driverTook(_ count: Int) -> (first: AuthorRuns.Run, others: [AuthorRuns.Run]) {
    takenCount = count
    let first = moveRun(atMost: count)
    var others: [AuthorRuns.Run] = []
    var moved = first.count
    while moved < count {
      let run = moveRun(atMost: count - moved)
      moved += run.count
      others.append(run)
    }
    return (first, others)
  }

  private mutating func moveRun(atMost limit: Int) -> AuthorRuns.Run {
    let run = waitingAuthors.removeFirst(atMost: limit)
    takenAuthors.append(run.count, by: run.author)
    return run
  }

  /// Removes the bytes that the driver has taken from the front.
  mutating func removeTaken() {
    queue.removeFirst(takenCount)
    takenCount = 0
  }

  /// The number of runs of taken bytes that are remembered.
  var takenRunCount: Int { takenAuthors.runCount }
  /// Whether it is time to forget the bytes that were sent.
  var hasManyTakenRuns: Bool { takenRunCount > takenRunLimit }

  /// Forgets the authors of bytes that the driver has sent.
  ///
  /// - Parameter unsentCount: the number of bytes that it has not sent.
  mutating func forgetSent(except unsentCount: Int) {
    takenAuthors.keepLast(unsentCount)
    takenRunLimit = max(Self.leastTakenRunLimit, 2 * takenRunCount)
  }

  /// Whether all bytes that the driver has not sent are of some authors.
  ///
  /// - Parameter unsentCount: their number.
  mutating func isUnsent(_ unsentCount: Int, onlyBy authors: Set<Author>) -> Bool {
    takenAuthors.keepLast(unsentCount)
    return takenAuthors.count == unsentCount
      && takenAuthors.runs.allSatisfy { authors.contains($0.author) || $0.count == 0 }
  }

  /// Notes that the driver has discarded what it had not sent: the last bytes that it took.
  ///
  /// - Returns: whose bytes they were.
  mutating func driverDiscarded(_ count: Int) -> UnsentBytes {
    var discarded = takenAuthors.removeLast(min(count, takenAuthors.count))
    takenAuthors.keepLast(0)
    takenRunLimit = Self.leastTakenRunLimit
    discarded.add(count - discarded.total, by: .unknown)
    return discarded
  }

  // MARK: Lost links

  /// Notes what a lost link had taken and not sent. It is not sent again, because some of it may
  /// have arrived.
  mutating func linkWasLost(with discarded: UnsentBytes) { lost = lost + discarded }

  /// What lost links had taken and not sent, since it was asked for last.
  mutating func removeLost() -> UnsentBytes {
    defer { lost = UnsentBytes() }
    return lost
  }
}
