import Testing
import TextTools

@Suite("JSON", .timeLimit(.minutes(30)))
struct JSONTests {
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

  @Test("strings that are not UTF-8 are refused")
  func refusesOtherEncodings() throws {
    let text = Array(#"xx"a""#.utf8)
    #expect(try JSON(parsing: text[2...]).string == "a")
    #expect(throws: JSON.ParsingError.self) {
      try JSON(parsing: [UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])
    }
  }

  @Test("the position of an error is counted from the start of the text")
  func position() {
    let error = #expect(throws: JSON.ParsingError.self) {
      try JSON(parsing: Array("xx[1 2]".utf8)[2...])
    }
    #expect(error?.position == 4)
  }

  @Test(
    "values are written as RFC 8259 says",
    arguments: [
      (JSON.null, "null"), (.bool(true), "true"), (.integer(-5), "-5"), (.string("a"), "\"a\""),
      (.string("\"\\\n\r\t\u{1}\u{7F}é😀"), #""\"\\\n\r\t\u0001\u007fé😀""#),
      (.array([.integer(1), .null]), "[1,null]"), (.array([]), "[]"),
      (.object([("b", .integer(1)), ("a", .array([]))]), "{\"b\":1,\"a\":[]}"),
      (JSON(String?.none), "null"), (JSON(""), "\"\""),
    ])
  func written(value: JSON, text: String) {
    #expect(value.description == text)
  }

  @Test("hidden characters are escaped, in pairs beyond U+FFFF; or only controls are")
  func escaping() {
    let text = "é\u{202E}\u{E0041}\n"
    var (all, controls): ([UInt8], [UInt8]) = ([], [])
    JSON.append(text, escaping: .hidden, to: &all)
    JSON.append(text, escaping: .controls, to: &controls)
    #expect(String(decoding: all, as: UTF8.self) == #""é\u202e\udb40\udc41\n""#)
    #expect(String(decoding: controls, as: UTF8.self) == "\"é\u{202E}\u{E0041}\\n\"")
  }

  @Test("text of every script stays as it is")
  func everyScript() {
    let text = "café 串口 مرحبا שלום ไทย 😀 e\u{301}"
    #expect(JSON.string(text).description == "\"\(text)\"")
  }
}
