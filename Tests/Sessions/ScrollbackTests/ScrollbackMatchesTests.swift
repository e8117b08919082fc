import Patterns
import Scrollback
import Testing

@Suite struct ScrollbackMatchesTests {
  private func matches(
    of expression: String, in scrollback: Scrollback, before end: Int = .max, limit: Int = 9,
    until isOver: () -> Bool = { false }
  ) throws -> ScrollbackMatches {
    ScrollbackCopy(of: scrollback).matches(
      of: try Pattern(parsing: expression), before: end, limit: limit, until: isOver)
  }

  @Test func aLineIsFoundWithItsOffsetAndTime() throws {
    let scrollback = Scrollback(capacity: 0)
    scrollback.add("one\nt", at: 5)
    scrollback.add("wo\r\n\n", at: 6)
    scrollback.addMark("a mark for two", at: 7_000_000)
    scrollback.add("open two", at: 8)
    let found = try matches(of: "two", in: scrollback)
    #expect(found.lines.map(\.offset) == [4, 10, 10])
    #expect(found.lines.map(\.time) == [5, 7, 8])
    #expect(
      found.lines.map { String(decoding: $0.bytes, as: UTF8.self) }
        == ["two\r\n", "a mark for two", "open two"])
    #expect(found.total == 3)
    #expect(found.isComplete)
  }

  @Test func theNewestLinesAreKeptAndAllAreCounted() throws {
    let scrollback = Scrollback(capacity: 0)
    for number in 0..<10_000 {
      scrollback.add("line \(number) \(String(repeating: "x", count: 80))\n")
    }
    #expect(scrollback.droppedByteCount > 0)
    let found = try matches(of: "^line ", in: scrollback, limit: 2)
    #expect(found.total == scrollback.lines.count)
    #expect(
      found.lines.map { $0.bytes.prefix(9) } == [
        Array("line 9998".utf8)[...], Array("line 9999".utf8)[...],
      ])
    #expect(found.lines[1].offset + found.lines[1].bytes.count == scrollback.addedByteCount)
    #expect(found.lines[0].offset + found.lines[0].bytes.count == found.lines[1].offset)
    let first = try matches(of: "", in: scrollback, limit: .max).lines[0]
    #expect(first.offset == scrollback.droppedByteCount)
    #expect(found.firstOffset == scrollback.droppedByteCount)
  }

  @Test func aSearchThatIsCutOffHasTheNewestLines() throws {
    let scrollback = Scrollback(capacity: 0)
    for number in 0..<100 { scrollback.add("line \(number)\n") }
    var rest = 10
    let found = try matches(of: "line", in: scrollback) {
      rest -= 1
      return rest < 0
    }
    #expect(!found.isComplete)
    // The tenth line, which is searched and not kept.
    #expect(found.searchedOffset == found.lines[0].offset - "line 90\n".utf8.count)
    let older = try matches(of: "line", in: scrollback, before: found.searchedOffset, limit: 1)
    #expect(older.total == 90)
    #expect(older.lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["line 89\n"])
    #expect(found.total == 10)
    #expect(found.lines.last.map { String(decoding: $0.bytes, as: UTF8.self) } == "line 99\n")
  }

  @Test func nothingIsFoundInNothing() throws {
    let found = try matches(of: "", in: Scrollback(capacity: 0))
    #expect(found.lines.isEmpty && found.total == 0 && found.isComplete)
  }
}
