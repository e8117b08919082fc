public import Posix

/// A clock that moves only when a test moves it.
public final class TestClock {
  public private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)

  public init() {}

  public func advance(by duration: Duration) { now = now + duration }
}
