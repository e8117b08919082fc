/// The times of successive lines, by their timestamps. Times are comparable within one text.
public struct LineClock: Hashable, Sendable {
  /// The time of the last line in seconds.
  public private(set) var seconds = 0.0
  /// The midnight that times of a day count from.
  private var midnight: Double

  /// Creates a clock.
  ///
  /// - Parameter midnight: the beginning of the first day, in seconds since 1970, for timestamps
  ///   that contain no date.
  public init(midnight: Double = 0) { self.midnight = midnight }

  /// Advances to the time of the next line.
  public mutating func advance(to stamp: LineTimestamp) {
    switch stamp.origin {
    case .epoch, .start: seconds = stamp.seconds
    case .line: seconds += stamp.seconds
    case .midnight:
      // The next day has begun.
      if stamp.seconds + midnight < seconds - 43_200 { midnight += 86_400 }
      seconds = stamp.seconds + midnight
    }
  }
}
