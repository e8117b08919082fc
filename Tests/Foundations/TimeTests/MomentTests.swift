import Glibc
import Testing

@testable import Time

/// Times by a clock of another process or computer.
struct MomentTests {
  private let now = Moment(wallClock: 1_000_000, monotonic: 500)

  @Test func `A moment moves with the wall clock, within the time of the other clock`() {
    let cases: [(UInt64, UInt64)] = [
      (1_000_000, 500), (999_900, 400), (999_500, 0),
      // Before the computer was started, and in the future.
      (999_499, 0), (0, 0), (1_000_001, 500), (.max, 500), (1 << 63, 500),
    ]
    for (wallClock, monotonic) in cases {
      #expect(now.moved(to: wallClock) == Moment(wallClock: wallClock, monotonic: monotonic))
    }
  }

  @Test func `A clock that is wrong shows a time within the range`() {
    let cases: [(Int, UInt64)] = [
      (-1, 0), (0, 999_999_999), (18_446_744_072, 18_446_744_072_999_999_999),
      (18_446_744_073, .max), (18_446_744_074, .max), (.max, .max),
    ]
    for (seconds, expected) in cases {
      let time = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
      #expect(Moment.wallClock(at: time) == expected)
    }
  }
}
