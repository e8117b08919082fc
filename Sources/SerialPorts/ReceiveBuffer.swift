import Time

/// Bytes that a port has received and nobody has read, with the places where the line was silent or
/// the device was lost.
///
/// A value without a clock. Positions count all bytes that were ever appended.
struct ReceiveBuffer {
  /// Bytes that arrived without a silence that could matter.
  private struct Run {
    /// The position of its first byte.
    let start: Int
    /// When its first byte arrived.
    let first: MonotonicTime
    /// When its last byte arrived.
    var last: MonotonicTime
    /// Whether the device was lost after it.
    var isCut = false
  }

  /// Silences that are shorter are not stored: a device that sends without a pause is one run.
  static let shortestSilence = Duration.microseconds(250)

  private var bytes: [UInt8] = []
  /// The number of bytes at the front of ``bytes`` that were removed.
  private var removedCount = 0
  /// The position of the first byte that is left.
  private(set) var position = 0
  /// Not empty while there are bytes; the first one has the first byte.
  private var runs: [Run] = []

  /// The number of bytes.
  var count: Int { bytes.count - removedCount }
  /// Whether there are no bytes.
  var isEmpty: Bool { count == 0 }
  /// When the last byte arrived; nil if there are no bytes.
  var lastArrival: MonotonicTime? { runs.last?.last }

  /// Appends bytes that arrived at a time.
  ///
  /// - Parameter continues: whether they may have arrived long before, so that there
  ///   was no silence.
  mutating func append(
    _ piece: UnsafeRawBufferPointer, at now: MonotonicTime, continues: Bool = false
  ) {
    guard !piece.isEmpty else { return }
    // Moving costs no more than what was removed.
    if removedCount > bytes.count / 2 {
      bytes.removeFirst(removedCount)
      removedCount = 0
    }
    let end = position + count
    if let last = runs.last, !last.isCut,
      continues || now - last.last < Self.shortestSilence
    {
      runs[runs.count - 1].last = now
    } else {
      runs.append(Run(start: end, first: now, last: now))
    }
    bytes.append(contentsOf: piece)
  }

  /// Notes that the device was lost: what it sends later does not continue a frame of before.
  mutating func cut() {
    if !runs.isEmpty { runs[runs.count - 1].isCut = true }
  }

  /// The bytes at the front that can belong to one frame.
  ///
  /// - Parameter silence: the silence that ends a frame; nil if none does.
  /// - Returns: how many bytes these are, and whether nothing follows in the frame as far as
  ///   the buffer knows.
  func front(endedBy silence: Duration?) -> (count: Int, isEnded: Bool) {
    for (index, run) in runs.enumerated() {
      let next = index + 1 < runs.count ? runs[index + 1] : nil
      let isSilent = silence.map { silence in next.map { $0.first - run.last >= silence } ?? false }
      guard run.isCut || isSilent ?? false else { continue }
      return ((next?.start ?? (position + count)) - position, true)
    }
    return (count, false)
  }

  /// Calls a closure with the first bytes.
  func withFirst<Result>(_ number: Int, _ body: (RawSpan) -> Result) -> Result {
    body(bytes.span.bytes.extracting(removedCount..<(removedCount + number)))
  }

  /// Removes bytes at the front.
  mutating func removeFirst(_ number: Int) {
    precondition(0...count ~= number, "a frame is longer than what was received")
    removedCount += number
    position += number
    if removedCount == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      removedCount = 0
      runs.removeAll(keepingCapacity: true)
    } else if runs.count > 1, runs[1].start <= position {
      runs.removeFirst((runs.firstIndex { $0.start > position } ?? runs.count) - 1)
    }
  }
}
