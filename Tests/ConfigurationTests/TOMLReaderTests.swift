import Testing

@testable import Configuration

@Suite("Reading TOML", .timeLimit(.minutes(5)))
struct TOMLReaderTests {
  private func values(_ text: String) throws -> [Value] {
    try TOMLReader.tables(in: Array("[t]\n\(text)\n".utf8)).flatMap(\.entries).map(\.value)
  }

  @Test(
    "values are what TOML says",
    arguments: [
      ("a = 115_200", Value.integer(115_200)), ("a = 0x1F", .integer(31)),
      ("a = -5", .integer(-5)), ("a=0.25", .number(0.25)), ("a = 1e3", .number(1_000)),
      ("a = true # yes", .boolean(true)), ("a = false", .boolean(false)),
      (#"a = "x\t\"\u00e9""#, .string("x\t\"é")), (#"a = 'C:\x'"#, .string(#"C:\x"#)),
      ("a = ''", .string("")), (#"'a b' = "# + "\"\"", .string("")),
      ("a = [ 1, 'x', ]", .array([.integer(1), .string("x")])),
      ("a = [\n 1, # one\n 2\n]", .array([.integer(1), .integer(2)])),
    ])
  func reads(_ text: String, _ value: Value) throws {
    #expect(try values(text) == [value])
  }

  @Test(
    "what is wrong is refused with its line",
    arguments: [
      ("a", 2), ("a =", 2), ("a = yes", 2), ("a = 01", 2), ("a = 1_", 2), ("a = 1.", 2),
      ("a = 1e", 2), ("a = 0x", 2), ("a = 1 2", 2), ("a = \"x", 2), ("a = 'x", 2),
      (#"a = "\q""#, 2), (#"a = "\ud800""#, 2), ("a = \"\"\"x\"\"\"", 2), ("a = {b = 1}", 2),
      ("a.b = 1", 2), ("a = 1979-05-27", 2), ("[[x]]", 2), ("[x", 2), ("[t]", 2), ("[]", 2),
      ("a = 1\na = 2", 3), ("\n\n= 1", 4), ("a = [1", 3), ("a = 99999999999999999999", 2),
      ("a = \u{7}", 2), ("a = [1 2]", 2), ("a = nan", 2), ("a = +0x1", 2), ("-", 2),
    ])
  func refuses(_ text: String, _ line: Int) {
    #expect { try values(text) } throws: { ($0 as? ConfigurationError)?.line == line }
  }

  @Test("what is no text is refused")
  func binary() {
    for bytes: [UInt8] in [[0x7F, 0x45, 0x4C, 0x46], [0x5B, 0x61, 0xFF, 0x5D], [0x00], [0x0D]] {
      #expect(throws: ConfigurationError.self) { try TOMLReader.tables(in: bytes) }
    }
  }

  @Test("a document that is too large is refused")
  func size() {
    let comment = [UInt8](repeating: 0x23, count: TOMLReader.largestDocument + 1)
    #expect(throws: ConfigurationError.self) { try TOMLReader.tables(in: comment) }
  }

  @Test("arrays in arrays have an end")
  func depth() {
    let text = "a = \(String(repeating: "[", count: 100_000))"
    #expect(throws: ConfigurationError.self) { try values(text) }
  }

  @Test("lines may end with CRLF, and a byte order mark says nothing")
  func lines() throws {
    let document: [UInt8] = [0xEF, 0xBB, 0xBF] + Array("[a]\r\nb = 1\r\n\r\n[c.'d']\r\n".utf8)
    let tables = try TOMLReader.tables(in: document)
    #expect(tables.map(\.path) == [["a"], ["c", "d"]])
    #expect(tables[0].entries == [Entry(key: "b", value: .integer(1), line: 2)])
  }
}
