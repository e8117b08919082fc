/// The time at which bytes were read, by two clocks.
public struct Moment: Hashable, Sendable {
  /// Nanoseconds since 1970-01-01 UTC, by the clock that can be set: `CLOCK_REALTIME`.
  public let wallClock: UInt64
  /// Nanoseconds of the clock that cannot be set, `CLOCK_MONOTONIC`. Only differences are meaningful.
  public let monotonic: UInt64

  /// Creates a moment from both clocks, in nanoseconds.
  public init(wallClock: UInt64, monotonic: UInt64) {
    self.wallClock = wallClock
    self.monotonic = monotonic
  }
}
