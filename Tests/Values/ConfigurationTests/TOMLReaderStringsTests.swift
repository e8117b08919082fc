import Testing

@testable import Configuration

@Suite("Reading TOML: strings", .timeLimit(.minutes(30)))
struct TOMLReaderStringsTests {
  @Test(
    "strings are those of TOML",
    arguments: [
      ("''", ""), (#""""#, ""), (#"'C:\x"y'"#, #"C:\x"y"#), (#""a'b""#, "a'b"),
      (#""\b\t\n\f\r\"\\""#, "\u{8}\t\n\u{C}\r\"\\"),
      (#""x\u00e9\U0001F600y""#, "x\u{E9}\u{1F600}y"),
      (#""\u0000""#, "\0"), ("\"\t\u{E9}\u{80}\"", "\t\u{E9}\u{80}"), (#"" # ""#, " # "),
      // Strings on several lines.
      (#""""""""#, ""), ("''''''", ""), (#""""a""""#, "a"), ("'''a'''", "a"),
      ("'''\na\n'''", "a\n"), ("'''\n\na'''", "\na"), ("'''\r\na\r\nb'''", "a\nb"),
      ("'''a\\\n b'''", "a\\\n b"), (#"'''\t'''"#, #"\t"#),
      ("\"\"\"a \\\n\n\t \r\n b\"\"\"", "a b"), ("\"\"\"a\\   \n  b\"\"\"", "ab"),
      ("\"\"\"\\\n\"\"\"", ""), (#""""a\\""""#, #"a\"#), (#""""\u0041\n""""#, "A\n"),
      // With one or two quotation marks, also at the end.
      (#""""a"b""c""""#, #"a"b""c"#), (#""""a"""""#, #"a""#), (#""""a""""""#, #"a"""#),
      ("'''a'b''c'''''", "a'b''c''"), (#""""""x""""""#, #"""x"""#),
      ("\"\"\"a\\\"\"\"\"\"\"", #"a""""#),
      ("'''\"\"\"'''", #"""""#),
    ])
  func reads(_ text: String, _ value: String) throws {
    #expect(try values("a = " + text) == [.string(value)])
  }

  @Test(
    "a mistake is refused with its line",
    arguments: [
      ("\"x", "1: the string has no closing quote"), ("'x", "1: the string has no closing quote"),
      ("'x\ny'", "1: the string has no closing quote"), (#""x\"#, "1: unknown escape"),
      ("\"x\\\ny\"", "1: unknown escape"), (#""\q""#, "1: unknown escape"),
      (#""\e""#, "1: unknown escape"), (#""\x41""#, "1: unknown escape"),
      (#""\u12""#, "1: expected 4 hexadecimal digits"),
      (#""\U1234567""#, "1: expected 8 hexadecimal"),
      (#""\ud800""#, "1: the escape sequence is not a Unicode character"),
      (#""\U00110000""#, "1: the escape sequence is not a Unicode character"),
      (#""\UFFFFFFFF""#, "1: the escape sequence is not a Unicode character"),
      // An open string has the line of its start; any other mistake has its own line.
      ("'''\n\nx", "1: the string has no closing quotes"),
      ("\"\"\"x\n\"\"", "1: the string has no closing quotes"),
      ("\"\"\"\n\n\\q\"\"\"", "3: unknown escape"),
      ("\"\"\"\n\\ x\"\"\"", "2: a backslash before blanks must end its line"),
      ("\"\"\"\n\"\"\" x", "2: expected the end of the line, found 'x'"),
      ("'''''''''", "1: expected the end of the line, found '''"),
    ])
  func refuses(_ text: String, _ expected: String) {
    #expect(error("a = " + text).hasPrefix(expected), "\(error("a = " + text))")
  }
}
