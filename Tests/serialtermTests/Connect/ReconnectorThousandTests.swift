import DeviceWatch
import Posix
import SerialCore
import SystemPackage
import Testing

@testable import serialterm

/// A thousand returns, among twins that come and go, each with a node of its own.
@Suite struct ReconnectorThousandTests {
  private static let count = 1_000

  @Test func thousandReplugs_amongTwins_loseNothing_andNeverTakeTheWrongOne() throws {
    let bench = try Bench()
    let ours = PlugBoard.Adapter(nil, inPort: 1)
    let twins = (2...4).map { PlugBoard.Adapter(nil, inPort: $0) }
    for adapter in twins + [ours] { try bench.board.plug(adapter) }
    try bench.follow(ours)
    var expected = ""
    var delays: [Duration] = []
    var memory: [Int] = []
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
      try #require(bench.session.state.path == ours.device?.node)
      for adapter in others where round % 2 == 1 { try bench.board.plug(adapter, saying: "wrong") }
      try bench.settle()
      // The text of this test grows; what is left besides is the program's.
      if round % 300 == 299 { memory.append(Self.privateMemory) }
    }
    #expect(bench.received.text == expected)
    for twin in twins { #expect(twin.heard == "") }
    delays.sort()
    print(
      "figure: plug to first byte in process, median \(delays[Self.count / 2]), "
        + "99 % \(delays[Self.count * 99 / 100]), worst \(delays[Self.count - 1]); "
        + "private memory after each 300: \(memory.map { "\($0 >> 10) KiB" })")
  }

  /// The process's memory that is no file's, in bytes. See proc(5), statm: resident less shared.
  private static var privateMemory: Int {
    let text = (try? FilePath("/proc/self/statm").contents()) ?? []
    let pages = String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    return pages.count > 2 ? (pages[1] - pages[2]) * 4_096 : 0
  }
}
