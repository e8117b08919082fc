import Patterns
import TestSupport
import Testing

@testable import serialterm

/// The matches of alert expressions in the lines of a device.
@Suite struct AlertSearchTests {
  private static func search(_ expressions: String...) throws -> AlertSearch {
    AlertSearch(try expressions.map { try Pattern(parsing: $0) })
  }

  private static func take(_ text: String, by search: inout AlertSearch) -> [String] {
    Array(text.utf8).withUnsafeBytes { search.receive($0) }.map(words)
  }

  private static func words(_ match: AlertSearch.Match) -> String {
    "\(match.index) \(match.text) in \(match.line)"
  }

  @Test func `A line is searched when it is complete, whatever the pieces are`() throws {
    let text = "ok\r\nERROR 12: disk\r\nerror\nlast ERROR 3"
    for size in [1, 2, 7, 100] {
      var search = try Self.search(#"ERROR \d+"#, "^ok$", "disk$")
      var found: [String] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        found += Array(rest.prefix(size)).withUnsafeBytes { search.receive($0) }.map(Self.words)
        rest = rest.dropFirst(size)
      }
      #expect(
        found == ["1 ok in ok", "0 ERROR 12 in ERROR 12: disk", "2 disk in ERROR 12: disk"],
        "\(size)")
      #expect(search.pause().map(Self.words) == ["0 ERROR 3 in last ERROR 3"])
    }
  }

  @Test func `A prompt is found at a pause, and not again when its line goes on`() throws {
    var search = try Self.search("login: ")
    #expect(Self.take("board login: ", by: &search) == [])
    #expect(search.isWaiting)
    #expect(search.pause().map(Self.words) == ["0 login:  in board login: "])
    #expect(!search.isWaiting)
    #expect(search.pause() == [])
    #expect(Self.take("root\r\n", by: &search) == [])
    #expect(Self.take("board login: x\n", by: &search) == ["0 login:  in board login: x"])
  }

  @Test func `What is overwritten was there, and a corrected typing error matches nothing`() throws
  {
    var search = try Self.search("failed", "ok")
    #expect(
      Self.take("x\n10 % failed\r20 %\u{1B}[K\r\n", by: &search)
        == ["0 failed in 10 % failed"])
    #expect(Self.take("oc\u{8}k\n", by: &search) == ["1 ok in ok"])
  }

  @Test func `Each expression matches once in a line`() throws {
    var search = try Self.search("a", "b")
    #expect(Self.take("aaa b a b\n", by: &search).count == 2)
  }

  @Test func `Escape sequences are no part of a line`() throws {
    var search = try Self.search("^red alert$")
    #expect(
      Self.take("\u{1B}[31mred \u{1B}]0;x\u{7}alert\u{1B}[0m\r\n", by: &search)
        == ["0 red alert in red alert"])
  }

  @Test func `A line without end is searched in parts, and kept in bounds`() throws {
    var search = try Self.search("needle")
    let hay = String(repeating: "x", count: 10_000)
    #expect(Self.take(hay + "needle" + hay, by: &search).count == 1)
    var bytes = SplitMix64(seed: 1)
    for _ in 0..<100 {
      let noise = (0..<1_000).map { _ in UInt8.random(in: 0...255, using: &bytes) }
      for match in noise.withUnsafeBytes({ search.receive($0) }) {
        #expect(match.line.utf8.count <= 3 * AlertSearch.reach)
      }
    }
  }

  @Test func `Expressions that take too long are given up, and that is known`() throws {
    var search = try Self.search("(x+x+)+y", "(?:x?){300}z")
    let line = String(repeating: "x", count: 1_000) + "\n"
    for _ in 0..<20 where !search.isOverBudget { _ = Self.take(line, by: &search) }
    #expect(search.isOverBudget)
  }
}
