import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct InputPaceTests {
  /// A pace after a measurement in which a number of bytes were sent.
  private func pace(after count: Int) -> InputPace {
    var pace = InputPace()
    pace.note(1_000_000, leaving: 65_536)
    pace.beginMeasuring()
    pace.note(count, leaving: 65_536)
    pace.endMeasuring()
    return pace
  }

  @Test(arguments: [
    (queued: 0, growth: 1, room: 65_536), (65_000, 1, 536), (65_536, 1, 0), (70_000, 1, 0),
    (0, 16, 4_096), (65_530, 4, 1), (65_534, 4, 0),
  ])
  func `A queue that grows is not filled, whatever a byte becomes`(
    queued: Int, growth: Int, room: Int
  ) {
    #expect(InputPace().room(besides: queued, in: 1_000_000, growth: growth) == room)
    #expect(pace(after: 65_536).room(besides: queued, in: 1_000_000, growth: growth) == room)
  }

  @Test func `What is typed for a slow device is read until the queue is full`() {
    let pace = pace(after: 65_535)
    #expect(pace.room(besides: 100_000, in: 900_000, growth: 16) == 900_000)
    #expect(pace.room(besides: 1_000_000, in: 0, growth: 1) == 4_096, "a command is found")
  }

  @Test func `A device that has caught up is no longer slow`() {
    var pace = pace(after: 0)
    pace.note(50_000, leaving: 32_768)
    #expect(pace.room(besides: 100_000, in: 900_000, growth: 1) == 900_000)
    pace.note(1, leaving: 32_767)
    #expect(pace.room(besides: 32_767, in: 900_000, growth: 1) == 32_769)
  }
}
