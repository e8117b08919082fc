import SerialCore
import Sessions
import SystemPackage
import Terminal
import Testing
import TextTools

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct OutputTests {
  @Test func table_alignsItsColumns_withoutSpacesAtTheEnd() {
    let table = Table(
      header: ["A", "LONG", "C"], rows: [["xxx", "y", ""], ["x", "yyyyyy", "z"]])
    #expect(table.lines == ["A    LONG    C", "xxx  y", "x    yyyyyy  z"])
  }

  @Test func table_alignsItsColumns_whereCharactersAreWide() {
    let table = Table(header: ["N", "X"], rows: [["串口", "y"], ["e\u{301}", "z"]])
    #expect(table.lines == ["N     X", "串口  y", "e\u{301}     z"])
  }

  /// Bidirectional controls, invisible characters and line separators, alone and inside of a name.
  private static let misleading = [
    "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{200E}", "\u{061C}", "\u{200B}", "\u{200D}",
    "\u{FEFF}", "\u{AD}", "\u{2028}", "\u{2029}", "\u{E0041}", "\u{1B}", "\u{9B}", "\u{7F}",
  ]

  @Test(arguments: misleading) func misleadingCharacter_isReplaced(
    character: String
  ) throws {
    #expect("a\(character)b".harmless == "a\u{FFFD}b")
    #expect(Table(header: ["N"], rows: [[character]]).lines[1] == "\u{FFFD}")
    let json = JSON.string("a\(character)b").description
    #expect(json.unicodeScalars.allSatisfy { $0.isASCII }, "\(json)")
    #expect(try JSON(parsing: json).string == "a\(character)b")
  }

  @Test func lineOfAMessage_isShortened_andKeepsItsEnds() {
    let message = "config.toml:3: '\(String(repeating: "x", count: 100_000))' is no value"
    let shown = message.harmlessLines
    #expect(shown.count < 700)
    #expect(shown.hasPrefix("config.toml:3: 'xxx"))
    #expect(shown.hasSuffix("xxx' is no value"))
    #expect(Failure(.usage, "two\n\(message)").message == "two\n\(shown)")
  }

  @Test func finding_isHarmless_forAnyNameOfThePort() {
    let finding = Finding(
      code: .held, port: "/tmp/\u{1B}c", what: "held by \u{1B}]0;x\u{7}", why: "\u{9B}2J",
      fixes: ["kill \u{1B}c"])
    let text = finding.lines(style: .plain).joined()
    #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }

  @Test func timestamp_isRFC3339_withMicroseconds() {
    #expect(
      Timestamp(seconds: 1_795_242_660, microseconds: 42).rfc3339
        == "2026-11-21T06:31:00.000042Z")
    #expect(Timestamp(seconds: 0, microseconds: 999_999).rfc3339 == "1970-01-01T00:00:00.999999Z")
  }

  @Test func statistics_nameOneOfAKindInTheSingular() {
    var counters = LineCounters()
    counters[.framing] = 1
    let session = Session(settings: LineSettings())
    let lines = Statistics(of: session).lines(counters: counters)
    #expect(lines[0] == "0 bytes received, 0 sent, 0 waiting to be sent; no disconnects.")
    #expect(
      lines[1]
        == "  the driver counted 1 framing error, 0 parity errors, 0 overruns, 0 buffer overruns, "
        + "0 breaks")
  }
}
