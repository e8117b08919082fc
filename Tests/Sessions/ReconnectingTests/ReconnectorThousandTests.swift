import DeviceWatch
import SerialCore
import TestSupport
import Testing
import Time

@testable import Reconnecting

/// A thousand returns among twins that are plugged in and unplugged too, each with
/// a different node; a hundred in each run.
@Suite(.timeLimit(.minutes(30))) struct ReconnectorThousandTests {
  private static let count = repetitions(1_000)

  @Test func thousandReplugs_amongTwins_loseNothing_andNeverTakeTheWrongOne() throws {
    let bench = try Bench()
    let ours = PlugBoard.Adapter(nil, inPort: 1)
    let twins = (2...4).map { PlugBoard.Adapter(nil, inPort: $0) }
    for adapter in twins + [ours] { try bench.board.plug(adapter) }
    try bench.follow(ours)
    var expected = ""
    var delays: [Duration] = []
    for round in 0..<Self.count {
      let others = twins.shuffled().prefix(round % 4)
      for adapter in (others + [ours]).shuffled() { try bench.board.unplug(adapter) }
      try bench.settle()
      try #require(!bench.session.state.isOpen)
      let words = "<\(round)>"
      expected += words
      for adapter in others where round % 2 == 0 { try bench.board.plug(adapter, saying: "wrong") }
      try bench.settle()
      try #require(!bench.session.state.isOpen)
      let start = MonotonicTime.now
      try bench.board.plug(ours, saying: words)
      try #require(try bench.wait(until: { bench.received.text == expected }))
      delays.append(MonotonicTime.now - start)
      try #require(bench.session.state.endpoint?.path == ours.device?.node)
      for adapter in others where round % 2 == 1 { try bench.board.plug(adapter, saying: "wrong") }
      try bench.settle()
    }
    #expect(difference(bench.received.text.utf8, from: expected.utf8) == nil)
    let wrong = twins.count { $0.heard != "" }
    Figures.record(
      row: 14, "twins that heard a word, 1,000 returns among them", [Double(wrong)], unit: "")
    #expect(wrong == 0)
    let milliseconds = delays.map { Double($0.nanoseconds) / 1e6 }.sorted()
    Figures.record(
      row: 12, "udev's event to the first byte, in process", milliseconds, unit: "ms", typical: 20)
    Figures.record(
      row: 12, "udev's event to the first byte, in process, 99 % of the times",
      [milliseconds[Self.count * 99 / 100]], unit: "ms", atMost: 50)
  }
}
