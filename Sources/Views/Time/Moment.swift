/// When bytes were read, by both clocks.
public struct Moment: Hashable, Sendable {
  /// Nanoseconds since 1970 in universal time, by the clock that people set: `CLOCK_REALTIME`.
  public let wallClock: UInt64
  /// Nanoseconds by the clock that nobody sets, `CLOCK_MONOTONIC`: only differences mean anything.
  public let monotonic: UInt64

  /// Creates a moment from both clocks, in nanoseconds.
  public init(wallClock: UInt64, monotonic: UInt64) {
    self.wallClock = wallClock
    self.monotonic = monotonic
  }
}
