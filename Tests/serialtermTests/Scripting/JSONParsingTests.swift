import Testing

@testable import serialterm

@Suite("Reading JSON", .timeLimit(.minutes(5)))
struct JSONParsingTests {
  @Test(
    "the written text is the one that was read",
    arguments: [
      "null", "true", "[]", "{}", "-12", "1.5", #"{"a":[1,{"b":"c\n\"\\"}],"d":false}"#, #""ü""#,
    ])
  func same(_ text: String) throws {
    #expect(try JSON(parsing: text).description == text)
    #expect(try JSON(parsing: " \t\(text)\r\n").description == text)
  }

  @Test("escapes are characters, surrogates in pairs")
  func escapes() throws {
    #expect(try JSON(parsing: #""\u00e9\/\b\ud83d\ude00""#).string == "é/\u{8}😀")
    #expect(try JSON(parsing: #""\ud83d""#).string == "\u{FFFD}")
  }

  @Test(
    "invalid JSON is refused",
    arguments: [
      "", "nul", "[1,]", "{", #"{"a"}"#, #"{"a":1,}"#, "1 2", "'a'", #""a"#, #""\x""#, "+1", "nan",
      "\"\n\"", "--1", "[1 2]", #"{a:1}"#, #""\u12""#, "1e999",
    ])
  func refuses(_ text: String) {
    #expect(throws: JSON.ParsingError.self) { try JSON(parsing: text) }
  }

  @Test("the depth is limited")
  func depth() {
    #expect(throws: JSON.ParsingError.self) {
      try JSON(parsing: String(repeating: "[", count: 1_000_000))
    }
  }
}
