import SystemPackage
import Testing

@testable import serialterm

@Suite struct OutputTests {
  @Test(arguments: [
    (JSON.null, "null"), (.bool(true), "true"), (.integer(-5), "-5"), (.string("a"), "\"a\""),
    (.string("\"\\\n\r\t\u{1}\u{7F}é😀"), #""\"\\\n\r\t\u0001\u007fé😀""#),
    (.array([.integer(1), .null]), "[1,null]"), (.array([]), "[]"),
    (.object([("b", .integer(1)), ("a", .array([]))]), "{\"b\":1,\"a\":[]}"),
    (JSON(String?.none), "null"), (JSON(""), "\"\""),
  ])
  func json_isWrittenAsRFC8259Says(value: JSON, text: String) {
    #expect(value.description == text)
  }

  @Test func table_alignsItsColumns_withoutSpacesAtTheEnd() {
    let table = Table(
      header: ["A", "LONG", "C"], rows: [["xxx", "y", ""], ["x", "yyyyyy", "z"]])
    #expect(table.lines == ["A    LONG    C", "xxx  y", "x    yyyyyy  z"])
  }

  @Test func table_alignsItsColumns_whereCharactersAreWide() {
    let table = Table(header: ["N", "X"], rows: [["串口", "y"], ["e\u{301}", "z"]])
    #expect(table.lines == ["N     X", "串口  y", "e\u{301}     z"])
  }

  @Test func linesOfAText_areHarmless_andStayLines() {
    #expect(
      "a\u{1B}[2J\n\nb\u{9B}c\rd".harmlessLines == "a\u{FFFD}[2J\n\nb\u{FFFD}c\u{FFFD}d")
  }

  @Test func finding_isHarmless_whateverThePortIsCalled() {
    let finding = Finding(
      code: .held, port: "/tmp/\u{1B}c", what: "held by \u{1B}]0;x\u{7}", why: "\u{9B}2J",
      mend: ["kill \u{1B}c"])
    let text = finding.lines(style: .plain).joined()
    #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }

  @Test func timestamp_isRFC3339_withMicroseconds() {
    #expect(
      Timestamp(seconds: 1_795_242_660, microseconds: 42).rfc3339
        == "2026-11-21T06:31:00.000042Z")
    #expect(Timestamp(seconds: 0, microseconds: 999_999).rfc3339 == "1970-01-01T00:00:00.999999Z")
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000"),
  ])
  func counts_areGroupedByThousands(number: Int, text: String) {
    #expect(number.grouped == text)
  }
}
