import Testing

@testable import Time

@Suite struct RepeatScheduleTests {
  /// A schedule that expectations can change.
  @dynamicMemberLookup private final class Subject {
    private var schedule: RepeatSchedule

    init(from start: MonotonicTime, every interval: Duration, count: Int64? = nil) throws {
      schedule = try #require(RepeatSchedule(from: start, every: interval, count: count))
    }

    func isDue(at now: MonotonicTime) -> Bool { schedule.advance(to: now) }

    func miss(until now: MonotonicTime) { schedule.miss(until: now) }

    subscript<Value>(dynamicMember path: KeyPath<RepeatSchedule, Value>) -> Value {
      schedule[keyPath: path]
    }
  }

  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  private func schedule(every milliseconds: Int, count: Int64? = nil) throws -> Subject {
    try Subject(from: time(1_000), every: .milliseconds(milliseconds), count: count)
  }

  @Test func delaysDoNotAddUp() throws {
    let schedule = try schedule(every: 100)
    for number in 0..<1_000 as Range<Int64> {
      let moment = 1_000 + 100 * number
      #expect(schedule.next == time(moment))
      #expect(!schedule.isDue(at: time(moment - 1)))
      // Each one is late by up to 99 ms.
      #expect(schedule.isDue(at: time(moment + number % 100)))
    }
    #expect(schedule.doneCount == 1_000 && schedule.missedCount == 0)
  }

  @Test func missedMoments_areCountedAndNotCaughtUp() throws {
    let schedule = try schedule(every: 100)
    #expect(schedule.isDue(at: time(1_000)))
    // 1,100, 1,200 and 1,300 are missed.
    #expect(schedule.isDue(at: time(1_450)))
    #expect(schedule.missedCount == 3)
    #expect(!schedule.isDue(at: time(1_450)))
    #expect(schedule.next == time(1_500))
    #expect(schedule.isDue(at: time(1_500)))
    #expect(schedule.doneCount == 3 && schedule.missedCount == 3)
  }

  @Test func momentsAtWhichNothingCanBeDone_areMissed_andTheNextOneIsOnTime() throws {
    let schedule = try schedule(every: 100, count: 2)
    #expect(schedule.isDue(at: time(1_000)))
    schedule.miss(until: time(1_099))
    #expect(schedule.missedCount == 0)
    // 1,100, 1,200 and 1,300 are missed.
    schedule.miss(until: time(1_300))
    #expect(schedule.doneCount == 1 && schedule.missedCount == 3)
    #expect(!schedule.isDue(at: time(1_399)))
    #expect(schedule.isDue(at: time(1_400)))
    schedule.miss(until: time(9_000))
    #expect(schedule.isOver && schedule.missedCount == 3)
  }

  @Test func theCountIsThatOfTheRepetitionsThatTookPlace() throws {
    let schedule = try schedule(every: 100, count: 3)
    #expect(schedule.isDue(at: time(1_000)))
    #expect(schedule.isDue(at: time(1_350)))
    #expect(!schedule.isOver)
    #expect(schedule.isDue(at: time(1_400)))
    #expect(schedule.isOver && schedule.next == nil)
    #expect(!schedule.isDue(at: time(100_000)))
    #expect(schedule.doneCount == 3 && schedule.missedCount == 2)
  }

  @Test func intervalsAndCountsAreAboveZero() {
    for interval in [Duration.zero, .seconds(-1), .nanoseconds(0.5)] {
      #expect(RepeatSchedule(from: time(0), every: interval) == nil)
    }
    #expect(RepeatSchedule(from: time(0), every: .seconds(1), count: 0) == nil)
    #expect(RepeatSchedule(from: time(0), every: .seconds(1), count: -1) == nil)
    #expect(RepeatSchedule(from: time(0), every: .nanoseconds(1), count: 1) != nil)
  }

  @Test func extremeTimes_areClamped() throws {
    let schedule = try Subject(from: MonotonicTime(nanoseconds: .min), every: .nanoseconds(1))
    #expect(schedule.isDue(at: MonotonicTime(nanoseconds: .max)))
    #expect(schedule.missedCount == .max)
    #expect(schedule.next != nil)
    #expect(schedule.isDue(at: MonotonicTime(nanoseconds: .max)))
    #expect(schedule.isDue(at: MonotonicTime(nanoseconds: .max)))
    let long = try Subject(from: time(1), every: .seconds(Int64.max))
    #expect(long.isDue(at: time(1)))
    #expect(long.next == MonotonicTime(nanoseconds: .max))
    #expect(!long.isDue(at: time(1_000_000)))
  }
}
