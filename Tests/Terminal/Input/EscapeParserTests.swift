import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct EscapeParserTests {
  /// The parsed input: data as it is sent, commands in braces.
  private func parse(_ pieces: [[UInt8]], _ key: EscapeKey) -> String {
    var parser = EscapeParser(key)
    var result: [UInt8] = []
    for piece in pieces {
      piece.withUnsafeBytes { bytes in
        var rest = bytes
        while let item = parser.next(in: &rest) {
          switch item {
          case .data(let data):
            #expect(!data.isEmpty)
            result += data
          case .held(let byte): result.append(byte)
          case .command(let command): result += Array("{\(command)}".utf8)
          }
        }
        #expect(rest.isEmpty)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Inputs with the reactions of ssh(1).
  private static let table = [
    ("", ""), ("a", "a"), ("~.", "{quit}"), ("~?", "{help}"), ("~~", "~"), ("~~.", "~."),
    ("~x", "~x"), ("a~.", "a~."), ("a\r~.", "a\r{quit}"), ("a\n~.", "a\n{quit}"),
    ("a\r\n~.", "a\r\n{quit}"), ("\r~~\r~.", "\r~\r{quit}"), ("~?~.", "{help}{quit}"),
    ("~?a~.", "{help}a~."), ("~\r~.", "~\r{quit}"), ("~\r\r~x~.", "~\r\r~x~."), ("~", ""),
    ("a\r~", "a\r"), ("~~~.", "~~."), (" ~.", " ~."), ("~ ~.", "~ ~."), ("~é", "~é"),
    ("ls ~/a\r~/b\r", "ls ~/a\r~/b\r"), ("\u{1B}[A~.", "\u{1B}[A~."), ("~\u{1A}", "~\u{1A}"),
    ("~.\r~.", "{quit}\r{quit}"),
  ]

  @Test(arguments: table)
  func `Sequences are found at the start of a line, however the input is split`(
    input: String, output: String
  ) {
    let bytes = Array(input.utf8)
    #expect(parse([bytes], .character(0x7E)) == output)
    #expect(parse(bytes.map { [$0] }, .character(0x7E)) == output)
    for split in bytes.indices {
      #expect(parse([Array(bytes[..<split]), Array(bytes[split...])], .character(0x7E)) == output)
    }
  }

  @Test func `Another character, or none, can be the one`() {
    #expect(parse([Array("~.\r%.".utf8)], .character(UInt8(ascii: "%"))) == "~.\r{quit}")
    #expect(parse([Array("~.\r~~".utf8)], .none) == "~.\r~~")
  }

  @Test func `What is held back can be taken, and data be passed by`() {
    var parser = EscapeParser(.character(0x7E))
    func feed(_ text: String) -> Int {
      Array(text.utf8).withUnsafeBytes { bytes in
        var (rest, count) = (bytes, 0)
        while parser.next(in: &rest) != nil { count += 1 }
        return count
      }
    }
    #expect(parser.takeHeld() == nil)
    #expect(feed("~") == 0)
    #expect(parser.takeHeld() == 0x7E)
    // The line has already begun.
    #expect(feed("~") == 1)
    Array("a\r".utf8).withUnsafeBytes { parser.pass($0) }
    #expect(feed("~") == 0)
  }

  @Test(arguments: [("~", EscapeKey.character(0x7E)), ("%", .character(0x25)), ("none", .none)])
  func `A key is read, and prints as itself`(text: String, key: EscapeKey) {
    #expect(EscapeKey(parsing: text) == key)
    #expect("\(key)" == text)
  }

  @Test(arguments: ["", " ", "~~", "é", ".", "?", "\t", "\u{7F}", "None", "^A"])
  func `Another text is no key`(text: String) {
    #expect(EscapeKey(parsing: text) == nil)
  }
}
