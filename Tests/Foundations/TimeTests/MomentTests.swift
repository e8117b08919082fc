import Testing
import Time

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
}
