import Configuration
import Dialogues
import Terminal
import Testing

@testable import serialterm

@Suite("Snippets", .timeLimit(.minutes(30))) struct SnippetTests {
  private func file(_ text: String) throws(ConfigurationError) -> ConfigurationFile {
    try ConfigurationFile(parsing: Array(text.utf8), check: ProfileFile.check)
  }

  private func snippets(_ text: String, profile: String = "a") throws -> [Snippet] {
    let contents = try file(text)
    return Snippet.snippets(
      of: ProfileChoice.merge(
        contents.defaults, contents.profile(named: profile)?.entries ?? []))
  }

  private func mistake(_ text: String) -> String? {
    do throws(ConfigurationError) {
      let contents = try file(text)
      let keyed = Snippet.withKeys(contents.defaults)
      for profile in contents.profiles {
        try Snippet.check(ProfileChoice.merge(keyed, profile.entries))
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("the first nine without their own key get the free digits")
  func digits() throws {
    let names = (1...10).map { "s\($0) = 'x'\n" }.joined()
    let read = try snippets(
      "[profile.a.snippets]\nown = { text = 'y', key = \"3\" }\nz = { text = 'y', key = 'z' }\n"
        + names)
    #expect(read.map(\.name) == ["own", "z"] + (1...10).map { "s\($0)" })
    #expect(
      read.map { $0.key.map(String.init) ?? "" } == ["3", "z"] + [
        "1", "2", "4", "5", "6", "7", "8", "9", "", "",
      ])
  }

  @Test("the profile's entry wins, and a name keeps its place")
  func merging() throws {
    let read = try snippets(
      "[default.snippets]\na = 'default a'\nb = 'default b'\n"
        + "[profile.a.snippets]\nc = 'c'\na = 'own a'\n[profile.b]\n")
    #expect(read.map(\.name) == ["a", "b", "c"])
    #expect(read.map { String(decoding: $0.text, as: UTF8.self) } == ["own a", "default b", "c"])
    #expect(read.map(\.key) == ["1", "2", "3"])
    #expect(
      try snippets("[default.snippets]\na = 'x'\n[profile.b]\n", profile: "b").map(\.name) == ["a"])
  }

  @Test(
    "a text ends with the bytes of Enter, unless it ends a line or line-ending differs",
    arguments: [
      (#"'reboot'"#, LineEnding.cr, #"reboot\r"#),
      (#"'reboot'"#, .crlf, #"reboot\r\n"#),
      (#"'reboot\n'"#, .crlf, #"reboot\n"#),
      (#"'a\rb'"#, .lf, #"a\rb\n"#),
      (#"{ text = 'a', line-ending = "none" }"#, .cr, "a"),
      (#"{ text = 'a\r', line-ending = "lf" }"#, .cr, #"a\r\n"#),
      (#"{ text = '\x03', line-ending = "none" }"#, .cr, #"\x03"#),
      (#"''"#, .cr, #"\r"#),
    ])
  func endings(_ value: String, _ enter: LineEnding, _ sent: String) throws {
    let read = try snippets("[profile.a.snippets]\nx = \(value)\n")
    #expect(EscapedText.text(of: read[0].bytes(enter: enter)) == sent)
  }

  @Test(
    "a mistake is named with its line",
    arguments: [
      (
        "x = 1",
        "3: 'x' is a whole number: expected a string, or a table with text, key and line-ending"
      ),
      (#"x = '\q'"#, #"3: 'x': '\q' is not an escape: expected \r \n \t \e \0 \\ \" \$ or \xHH"#),
      ("\nx = { key = 'z' }", #"4: 'x' has no text: expected text = "...""#),
      ("x = { text = 1 }", #"3: 'x' has no text: expected text = "...""#),
      (
        "x = { text = 'a', keys = 'z' }",
        "3: 'x': unknown key 'keys': expected text, key or line-ending"
      ),
      ("x = { text = 'a', key = 'q' }", "3: 'x': the key q is that of the command 'quit'"),
      (
        "x = { text = 'a', key = 7 }",
        "3: 'x': 'key' is not a printable ASCII character: expected one, such as \"7\""
      ),
      (
        "x = { text = 'a', key = ' ' }",
        "3: 'x': 'key' is not a printable ASCII character: expected one, such as \"7\""
      ),
      (
        "x = { text = 'a', key = 'zz' }",
        "3: 'x': 'key' is not a printable ASCII character: expected one, such as \"7\""
      ),
      (
        "x = { text = 'a', line-ending = 'enter' }",
        "3: 'x': 'line-ending': expected none, cr, lf or crlf"
      ),
      (
        "x = { text = 'a', key = '7' }\ny = { text = 'b', key = '7' }",
        "4: 'y': the key 7 is that of the snippet 'x'"
      ),
      (
        "\"a\\u001bb\" = 'x'",
        "3: a name is 1 to 24 printable characters: 'a\u{FFFD}b'"
      ),
    ])
  func mistakes(_ text: String, _ expected: String) {
    #expect(mistake("[profile.a]\n[profile.a.snippets]\n\(text)\n") == expected)
  }

  @Test("the table itself, and a key that a profile and [default] give to two, are mistakes too")
  func tables() {
    #expect(
      mistake("[default]\nsnippets = 'x'\n")
        == "2: 'snippets' is a string: expected a table, [profile.NAME.snippets]")
    #expect(
      mistake(
        "[default.snippets]\nx = { text = 'a', key = '7' }\n"
          + "[profile.a.snippets]\ny = { text = 'b', key = '7' }\n")
        == "4: 'y': the key 7 is that of the snippet 'x'")
    #expect(
      mistake(
        "[default.snippets]\nx = { text = 'a', key = '7' }\n"
          + "[profile.a.snippets]\nx = { text = 'b', key = '7' }\n") == nil)
  }

  @Test(
    "bytes are written as a text that is read again",
    arguments: [
      ("a\\b", #"a\\b"#), ("\r\n\t\u{1B}\u{0}\u{7F}", #"\r\n\t\e\x00\x7f"#), ("é✓", "é✓"),
      ("\u{202E}x", #"\xe2\x80\xaex"#),
    ])
  func escapes(_ text: String, _ written: String) throws {
    #expect(EscapedText.text(of: text.utf8) == written)
    #expect(try EscapedText.bytes(of: written) == Array(text.utf8))
  }

  @Test func `Bytes that are not UTF-8 are written as the bytes they are`() throws {
    let bytes = (0...255).map { UInt8($0) } + [0xC3, 0x41, 0xE2, 0x82]
    let written = EscapedText.text(of: bytes)
    #expect(written.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) })
    #expect(try EscapedText.bytes(of: written) == bytes)
  }
}
