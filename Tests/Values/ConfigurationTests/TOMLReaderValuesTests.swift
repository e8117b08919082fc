import Testing

@testable import Configuration

@Suite("Reading TOML: values", .timeLimit(.minutes(30)))
struct TOMLReaderValuesTests {
  @Test(
    "values are those of TOML",
    arguments: [
      ("true # yes", Value.boolean(true)), ("false", .boolean(false)),
      ("[]", .array([])), ("[ 1, 'x', ]", .array([.integer(1), .string("x")])),
      ("[\n 1, # one\n 2\n]", .array([.integer(1), .integer(2)])),
      ("[[1],\n[]]", .array([.array([.integer(1)]), .array([])])), ("{}", .table([])),
      ("{ }", .table([])),
      (
        "{ b = 1, 'c' = \"x\" }",
        .table([
          Entry(key: "b", value: .integer(1), line: 1),
          Entry(key: "c", value: .string("x"), line: 1),
        ])
      ),
      (
        "[\n{b = 1},\n{b = [\n2]}]",
        .array([
          .table([Entry(key: "b", value: .integer(1), line: 2)]),
          .table([Entry(key: "b", value: .array([.integer(2)]), line: 3)]),
        ])
      ),
    ])
  func reads(_ text: String, _ value: Value) throws {
    #expect(try values("a = " + text) == [value])
  }

  @Test("dotted keys in an inline table make tables in it")
  func dottedInline() throws {
    #expect(
      try values("a = {b.c = 1, b.d = {e = 2}}")[0].description == "{b = {c = 1, d = {e = 2}}}")
    #expect(
      error("a = {b = 1, b.c = 2}")
        == "1: 'b' is a whole number (line 1), to which a dotted key cannot add")
    #expect(error("a = {b.c = 1, b = 2}") == "1: duplicate key 'b': see line 1")
    #expect(error("a = {b = {c = 1}, b.d = 2}").contains("'b' is an inline table"))
  }

  @Test("a blank may separate a date and a time, and nothing else")
  func dates() throws {
    let read = try values("a = 1979-05-27 07:32:00Z # x\nb = 1979-05-27 # x\nc = [1979-05-27 , 1]")
    #expect(
      read.map(\.description) == ["1979-05-27T07:32:00Z", "1979-05-27", "[1979-05-27, 1]"])
    #expect(error("a = 1979-05-27 7") == "1: '1979-05-27 7' is not a date and time")
    #expect(error("a = 1979-05-27  07:32:00") == "1: expected the end of the line, found '0'")
  }

  @Test(
    "a mistake is refused with its line",
    arguments: [
      ("yes", "1: 'yes' is not a value; strings need quotes"),
      ("True", "1: 'True' is not a value; strings need quotes"),
      (".5", "1: '.5' is not a value; strings need quotes"),
      ("12:00", "1: '12:00' is not a number, a date or a time; strings need quotes"),
      ("-x", "1: '-x' is not a number, a date or a time; strings need quotes"),
      ("\u{E9}", "1: expected a value, found '\u{E9}'"), ("]", "1: expected a value, found ']'"),
      ("[1", "1: expected ',' or ']' in an array, found the end of the file"),
      ("[\n1\n2]", "3: expected ',' or ']' in an array, found '2'"),
      ("[,]", "1: expected a value, found ','"), ("[1,,2]", "1: expected a value, found ','"),
      ("{", "1: expected a key, found the end of the file"),
      ("{b = 1", "1: expected ',' or '}' on the same line, found the end of the file"),
      ("{b = 1\n}", "1: expected ',' or '}' on the same line, found the end of the line"),
      ("{b = 1 # x", "1: expected ',' or '}' on the same line, found '#'"),
      ("{\nb = 1}", "1: expected a key, found the end of the line"),
      ("{b = 1,}", "1: expected a key, found '}'"), ("{,}", "1: expected a key, found ','"),
      ("{b}", "1: expected '=' after 'b'"),
      ("{b = 1} c", "1: expected the end of the line, found 'c'"),
      ("{b = 1, b = 2}", "1: duplicate key 'b': see line 1"),
    ])
  func refuses(_ text: String, _ expected: String) {
    #expect(error("a = " + text) == expected)
  }
}
