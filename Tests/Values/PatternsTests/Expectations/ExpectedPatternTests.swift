import Patterns
import Testing

@Suite("Expected patterns", .timeLimit(.minutes(30))) struct ExpectedPatternTests {
  @Test(
    "invalid expressions are refused, and those that match the empty text",
    arguments: ["(", "a[", "*", "", "x*", "^"])
  func refused(_ text: String) {
    #expect(throws: ExpectedPattern.ParsingError.self) { try ExpectedPattern.regex(text) }
  }

  @Test("groups are counted", arguments: [("a", 0), ("(a)(?:b)(c)", 2), ("(a)|(b)", 2)])
  func groups(_ text: String, _ count: Int) throws {
    #expect(try ExpectedPattern.regex(text).groupCount == count)
    #expect(ExpectedPattern.text(text).groupCount == 0)
  }

  @Test("a message shows the value as it was written")
  func descriptions() throws {
    #expect(ExpectedPattern.text("ok\r\n").description == #""ok\r\n""#)
    #expect(try ExpectedPattern.regex(#"\d+ ok"#).description == #"/\d+ ok/"#)
    #expect(try ExpectedPattern.regex("a") != .text("a"))
  }
}
