public import Time

/// A clock that only a test advances.
public final class TestClock {
  public private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)

  public init() {}

  public func advance(by duration: Duration) { now = now + duration }
}
