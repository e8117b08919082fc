import Time

/// How much input is read: as much as the queue of the session has room for, but little ahead of a
/// device that is fast. Input that is not read stays where it comes from.
struct InputPace {
  /// The number of queued bytes at which reading pauses.
  static let pauseCount = 65_536
  /// The time of a measurement, in which a slow device takes fewer bytes than ``pauseCount``.
  static let window = Duration.milliseconds(250)
  /// The number of bytes to read and refuse when the queue is full, to find commands.
  private static let refusable = 4_096

  /// Whether the device is so slow that keys would wait behind other input.
  private var isReadingAhead = false
  /// The number of bytes that were sent since the measurement began.
  private var sentCount = 0

  mutating func beginMeasuring() { sentCount = 0 }

  /// Starts to read ahead if the device took little since the measurement began.
  mutating func endMeasuring() {
    if sentCount < Self.pauseCount { isReadingAhead = true }
  }

  /// Records that bytes were sent, and how many are left in the queue.
  mutating func note(_ count: Int, leaving queuedCount: Int) {
    sentCount += count
    if queuedCount < Self.pauseCount / 2 { isReadingAhead = false }
  }

  /// The number of bytes to read now.
  ///
  /// - Parameters:
  ///   - queuedCount: the number of bytes in the queue.
  ///   - freeCount: the number of bytes for which the queue has room.
  ///   - growth: the maximum number of bytes that are sent for one.
  func room(besides queuedCount: Int, in freeCount: Int, growth: Int) -> Int {
    if isReadingAhead { return max(freeCount, Self.refusable) }
    return max(0, Self.pauseCount - queuedCount) / growth
  }
}
