import Testing

@testable import Configuration

/// The entries of a document.
func entries(_ text: String) throws(ConfigurationError) -> [Entry] {
  try TOMLReader.entries(in: Array(text.utf8))
}

/// The values of a document's entries.
func values(_ text: String) throws(ConfigurationError) -> [Value] { try entries(text).map(\.value) }

/// The mistake in a document: `LINE: message`.
func error(_ text: String) -> String {
  do {
    return "nothing: \(try entries(text))"
  } catch {
    return "\(error)"
  }
}

@Suite("Reading TOML", .timeLimit(.minutes(30)))
struct TOMLReaderTests {
  @Test(
    "keys are words or strings, with dots between their parts",
    arguments: [
      ("a = 1", "a = 1"), ("a-1_B = 1", "a-1_B = 1"), ("1234 = 1", "1234 = 1"),
      (#""a b" = 1"#, #""a b" = 1"#), (#"'a"b' = 1"#, #""a\"b" = 1"#), (#""" = 1"#, #""" = 1"#),
      (#""\u0061" = 1"#, "a = 1"), ("a.b = 1", "a = {b = 1}"),
      ("a . 'b.c' .d = 1", #"a = {"b.c" = {d = 1}}"#), ("3.14 = 1", "3 = {14 = 1}"),
      ("\"\u{E9}\" = 1\n\"e\u{301}\" = 2", "\"\u{E9}\" = 1, \"e\u{301}\" = 2"),
    ])
  func keys(_ text: String, _ expected: String) throws {
    #expect(try entries(text).map(\.text).joined(separator: ", ") == expected)
  }

  @Test("an entry has the line of its key, a table that of its heading or of its first key")
  func lines() throws {
    let read = try entries("# 1\na = [\n1,\n2]\nb.c.d = '''\n\n'''\n\n[t.u]\nx = 1\n[t]\ny = 2\n")
    let inner = [Entry(key: "d", value: .string("\n"), line: 5)]
    #expect(
      read == [
        Entry(key: "a", value: .array([.integer(1), .integer(2)]), line: 2),
        Entry(
          key: "b", value: .table([Entry(key: "c", value: .table(inner), line: 5)]), line: 5),
        Entry(
          key: "t",
          value: .table([
            Entry(
              key: "u", value: .table([Entry(key: "x", value: .integer(1), line: 10)]), line: 9),
            Entry(key: "y", value: .integer(2), line: 12),
          ]), line: 11),
      ])
  }

  @Test(
    "a mistake is refused with its line",
    arguments: [
      ("a", "1: expected '=' after 'a'"),
      ("\na =", "2: expected a value, found the end of the file"),
      ("a = # 1", "1: expected a value, found '#'"),
      ("a =\n1", "1: expected a value, found the end of the line"),
      ("a\n= 1", "1: expected '=' after 'a'"), ("\n\n= 1", "3: expected a key, found '='"),
      ("a = 1 2", "1: expected the end of the line, found '2'"),
      ("a = 1 b = 2", "1: expected the end of the line, found 'b'"),
      ("a. = 1", "1: expected a key, found '='"), (".a = 1", "1: expected a key, found '.'"),
      ("a..b = 1", "1: expected a key, found '.'"),
      ("\u{E9} = 1", "1: expected a key, found '\u{E9}'"),
      (#""""a""" = 1"#, "1: expected '=' after ''"),
      ("'a\n' = 1", "1: the string has no closing quote"),
      ("[x", "1: expected ']' after the table's name"), ("[]", "1: expected a key, found ']'"),
      ("[a.]", "1: expected a key, found ']'"), ("[a b]", "1: expected ']' after the table's name"),
      ("[[a]", "1: expected ']]' after the table's name"),
      ("[[a] ]", "1: expected ']]' after the table's name"),
      ("[ [a]]", "1: expected a key, found '['"),
      ("[a] b = 1", "1: expected the end of the line, found 'b'"),
      ("-", "1: expected '=' after '-'"),
      ("a = 1\r\nb = \r\n", "2: expected a value, found the end of the line"),
    ])
  func refuses(_ text: String, _ expected: String) {
    #expect(error(text) == expected)
  }

  @Test("invalid text is refused")
  func binary() {
    for bytes: [UInt8] in [
      [0x7F, 0x45, 0x4C, 0x46], [0x5B, 0x61, 0xFF, 0x5D], [0x00], [0x0D], [0x23, 0x0D],
      Array("a = '''\u{1}'''".utf8), Array("a = 1\n\u{FEFF}b = 1".utf8), [0xFF, 0xFE, 0x61, 0x00],
    ] {
      #expect(throws: ConfigurationError.self) { try TOMLReader.entries(in: bytes) }
    }
    #expect(error("a = 1\nb = '\u{7}'") == "2: unexpected control character: not a text file")
  }

  @Test("a document that is too large is refused")
  func size() throws {
    var comment = [UInt8](repeating: 0x23, count: TOMLReader.largestDocument)
    #expect(try TOMLReader.entries(in: comment) == [])
    comment.append(0x23)
    #expect(throws: ConfigurationError.self) { try TOMLReader.entries(in: comment) }
  }

  @Test("values are nested 64 levels deep, in any form")
  func depth() throws {
    func nested(_ count: Int, _ open: String, _ inner: String, _ close: String) -> String {
      String(repeating: open, count: count) + inner + String(repeating: close, count: count)
    }
    for count in [63, 64, 100_000] {
      let documents = [
        "a = " + nested(count, "[", "1", "]"), nested(count, "a.", "a", "") + " = 1",
        "a = " + nested(count, "{a=", "1", "}"),
        "[" + nested(count - 1, "a.", "a", "") + "]\na = 1",
        "a = " + nested(count - 1, "[", "{a=1}", "]"),
        "[[a]]\n" + nested(count - 1, "a.", "a", "") + " = 1",
      ]
      for document in documents {
        let isRead = error(document).hasPrefix("nothing")
        #expect(isRead == (count == 63), "\(document.prefix(80))")
        #expect(isRead || error(document).hasSuffix(": nested more than 64 levels deep"))
      }
    }
  }

  @Test("many keys, tables and elements are read in time")
  func many() throws {
    let numbers = 0..<10_000
    let keys = numbers.map { "k\($0) = 1\n" }.joined()
    #expect(try entries(keys).count == 10_000)
    #expect(error(keys + "k9999 = 2") == "10001: duplicate key 'k9999': see line 10000")
    #expect(try entries(numbers.map { "[t\($0)]\n" }.joined()).count == 10_000)
    #expect(try values(numbers.map { _ in "[[t]]\n" }.joined())[0].description.count == 40_000)
  }

  @Test("lines may end with CRLF, and a byte order mark is ignored")
  func lineEnds() throws {
    let document: [UInt8] = [0xEF, 0xBB, 0xBF] + Array("[a]\r\nb = 1\r\n\r\n[c.'d']\r\n".utf8)
    let read = try TOMLReader.entries(in: document)
    #expect(read.map(\.text) == ["a = {b = 1}", "c = {d = {}}"])
    #expect(read[0].value == .table([Entry(key: "b", value: .integer(1), line: 2)]))
  }
}
