import Testing

@testable import Options

@Suite("A command line up to the cursor")
struct TypedLineTests {
  private static let breaks = " \t\n\"'><=;|&(:"

  @Test(
    "its words are those that a shell reads",
    arguments: [
      ("", [""]), ("p", ["p"]), ("p ", ["p", ""]), ("  p  a", ["p", "a"]),
      ("p\ta ", ["p", "a", ""]),
      (#"p a\ b"#, ["p", "a b"]), (#"p a\"#, ["p", "a"]), (#"p 'a b'c "#, ["p", "a bc", ""]),
      (#"p "a 'b"#, ["p", "a 'b"]), (#"p 'a\"#, ["p", #"a\"#]), (#"p "a\"b\n"#, ["p", #"a"b\n"#]),
      ("p '' ", ["p", "", ""]), ("p 'a", ["p", "a"]), ("p usb:1", ["p", "usb:1"]),
      ("A=1 B_2='x y' p a", ["p", "a"]), ("./p a=b", ["./p", "a=b"]), ("p é ü", ["p", "é", "ü"]),
    ])
  func words(line: String, words: [String]) {
    #expect(TypedLine(line, breaks: Self.breaks).words == words)
  }

  @Test(
    "the part of the last word that the shell keeps, and the open quotation mark",
    arguments: [
      ("p usb:04", 4, nil), ("p usb:1:", 6, nil), (#"p usb\:1"#, 0, nil), ("p --b=9", 4, nil),
      ("p 'usb:1", 0, "'"), ("p \"usb:1", 0, "\""), ("p --b='my f", 4, "'"), ("p 'a b':c", 4, nil),
      ("p 'a:b'c", 0, nil), ("p a:b c", 0, nil), ("p a:'b'c", 2, nil),
    ] as [(String, Int, Character?)])
  func kept(line: String, kept: Int, quote: Character?) {
    let typed = TypedLine(line, breaks: Self.breaks)
    #expect(typed.kept == kept)
    #expect(typed.quote == quote)
  }

  @Test("a shell without such characters keeps only the text before a quotation mark")
  func withoutBreaks() {
    #expect(TypedLine("p usb:1").kept == 0)
    #expect(TypedLine("p a'b").kept == 1)
  }

  @Test("the typed part of a word")
  func text() {
    let line = TypedLine("A=1 p lend x  -- 'my tool'  -p a\\ ")
    #expect(line.words == ["p", "lend", "x", "--", "my tool", "-p", "a "])
    #expect(line.text(from: 4) == "'my tool'  -p a\\ ")
  }
}
