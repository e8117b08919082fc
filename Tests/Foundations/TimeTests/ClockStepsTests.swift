import Testing

@testable import Time

/// Steps of the wall clock, by three clocks in nanoseconds.
struct ClockStepsTests {
  private final class Clocks {
    var (wall, monotonic, boot): (UInt64, UInt64, UInt64) = (1_000_000_000_000, 5_000, 7_000)
    var reading: ClockSteps.Reading {
      ClockSteps.Reading(wallClock: wall, monotonic: monotonic, sinceBoot: boot)
    }
    var moment: Moment { Moment(wallClock: wall, monotonic: monotonic) }

    func pass(_ time: UInt64) {
      wall &+= time
      monotonic += time
      boot += time
    }
  }

  private let clocks = Clocks()
  private let day: Int64 = 86_400_000_000_000

  private func steps() -> ClockSteps { ClockSteps { [clocks] in clocks.reading } }

  @Test func `A step in either direction is noticed, and stays until it is marked`() {
    for step in [day, -600_000_000_000, 500_000_000, -500_000_000] {
      var steps = steps()
      clocks.pass(3_000_000_000)
      steps.notice(clocks.moment)
      #expect(steps.pending == 0)
      clocks.wall = clocks.wall &+ UInt64(bitPattern: step)
      clocks.pass(1)
      steps.notice(clocks.moment)
      #expect(steps.pending == step)
      clocks.pass(1)
      steps.notice(clocks.moment)
      #expect(steps.pending == step)
      steps.reset()
      steps.notice(clocks.moment)
      #expect(steps.pending == 0)
    }
  }

  @Test func `Two steps before a mark are one, and small ones add up`() {
    var steps = steps()
    for _ in 0..<2 {
      clocks.wall += 2_000_000_000
      steps.notice(clocks.moment)
    }
    #expect(steps.pending == 4_000_000_000)
    steps.reset()
    clocks.wall += 499_999_999
    steps.notice(clocks.moment)
    #expect(steps.pending == 0)
    clocks.wall += 1
    steps.notice(clocks.moment)
    #expect(steps.pending == 500_000_000)
  }

  @Test func `A suspended computer is no step, but a step meanwhile is one`() {
    var steps = steps()
    for set: UInt64 in [0, 0, 9_000_000_000] {
      clocks.wall += 3_600_000_000_000 + set
      clocks.boot += 3_600_000_000_000
      steps.notice(clocks.moment)
      #expect(steps.pending == Int64(set))
    }
  }

  @Test func `A moment whose clocks are apart is no step`() {
    var steps = steps()
    let torn = Moment(wallClock: clocks.wall, monotonic: clocks.monotonic + 2_000_000_000)
    clocks.pass(2_000_000_000)
    steps.notice(torn)
    steps.notice(clocks.moment)
    #expect(steps.pending == 0)
  }

  @Test func `No time traps`() {
    for (before, after): (UInt64, UInt64) in [(0, .max), (.max, 0), (1 << 63, 0), (0, 1 << 63)] {
      clocks.wall = before
      var steps = steps()
      clocks.wall = after
      for _ in 0..<3 { steps.notice(clocks.moment) }
      clocks.wall = before
      steps.notice(clocks.moment)
    }
  }

  @Test func `The clocks of the computer are read together`() {
    let (first, second) = (ClockSteps.Reading.now, ClockSteps.Reading.now)
    #expect(first.monotonic <= second.monotonic && first.sinceBoot <= second.sinceBoot)
    #expect(first.sinceBoot >= first.monotonic)
  }
}
