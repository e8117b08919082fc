import Testing

@testable import Configuration

@Suite("The configuration file", .timeLimit(.minutes(30)))
struct ConfigurationFileTests {
  @Test func writtenText_hasNoControlCharacters_andIsReadBack() throws {
    let value = Value.string("a\u{1B}\\\u{85}\u{9B}2J'\"\u{202E}\u{2028}\u{E0041}")
    let written = ConfigurationFile.text(profile: "p", [(key: "target", value: value)])
    #expect(
      written.unicodeScalars.allSatisfy {
        $0 == "\n"
          || ![.control, .format, .lineSeparator].contains($0.properties.generalCategory)
      })
    #expect(try file(written).profile(named: "p")?["target"]?.value == value)
  }

  @Test func backslashes_standInQuotesThatLeaveThemAlone_unlessAControlIsThere() {
    #expect(Value.string(#"\d"#).description == #"'\d'"#)
    #expect(Value.string("\\\u{9B}").description == #""\\\u009b""#)
  }

  private func file(_ text: String) throws -> ConfigurationFile {
    try ConfigurationFile(parsing: Array(text.utf8)) {
      (entry, isDefault) throws(ConfigurationError) in
      if entry.key == "bad" || (isDefault && entry.key == "only-profile") {
        throw ConfigurationError(line: entry.line, "it is bad")
      }
    }
  }

  @Test("there is a table for all sessions, and named profiles")
  func tables() throws {
    let file = try file("[default]\nbaud = 9600\n[profile.board-1]\nmatch = 'usb:1:2'\n")
    #expect(file.defaults.map(\.key) == ["baud"])
    #expect(file.profile(named: "board-1")?["match"]?.value == .string("usb:1:2"))
    #expect(file.profile(named: "board-1")?.line == 3)
    #expect(file.profile(named: "other") == nil)
  }

  @Test(
    "a profile may have any form of a table",
    arguments: [
      "[profile.board]\ntarget = 'loopback:'\nbaud = 9600",
      "profile.board.target = 'loopback:'\nprofile.board.baud = 9600",
      "profile.board = { target = \"loopback:\", baud = 9600 }",
      "profile = { board = { target = 'loopback:', baud = 9_600 } }",
      "[profile]\nboard.target = 'loopback:'\nboard.baud = 9600",
      "[profile]\nboard = { target = 'loopback:', baud = 0x2580 }",
    ])
  func forms(_ text: String) throws {
    let file = try file(text + "\n")
    #expect(file.profiles.map(\.name) == ["board"])
    #expect(file.profile(named: "board")?["target"]?.value == .string("loopback:"))
    #expect(file.profile(named: "board")?["baud"]?.value == .integer(9_600))
  }

  @Test(
    "a table below a profile is an entry for the caller to check, and has a heading of its own when it is written"
  )
  func innerTables() throws {
    let read = try file("[profile.a]\nbaud = 1\n[profile.a.snippets]\n'x y' = '1'\n")
    let value = Value.table([Entry(key: "x y", value: .string("1"), line: 4)])
    #expect(read.profile(named: "a")?["snippets"] == Entry(key: "snippets", value: value, line: 3))
    let text = ConfigurationFile.text(profile: "a", [("snippets", value), ("", .integer(1))])
    #expect(text == "[profile.a]\n\"\" = 1\n\n[profile.a.snippets]\n\"x y\" = \"1\"\n")
    #expect(try file(text).profile(named: "a")?.entries.map(\.key) == ["", "snippets"])
    #expect(throws: ConfigurationError(line: 2, "it is bad")) {
      try file("[profile.a]\n[profile.a.bad]\n")
    }
  }

  @Test(
    "tables and keys in a wrong place are named",
    arguments: [
      ("default = 1", "1: 'default' is a whole number: expected the table [default]"),
      ("[[default]]", "1: 'default' is an array: expected the table [default]"),
      ("profile = 'a'", "1: 'profile' is a string: expected tables [profile.NAME]"),
      (
        "[profile]\nbaud = 1",
        "2: 'profile.baud' is a whole number: expected a table, [profile.NAME]"
      ),
      ("[[profile.a]]", "1: 'profile.a' is an array: expected a table, [profile.NAME]"),
      ("a.b = 1", "1: unknown table [a]: expected [default] or [profile.NAME]"),
      ("baud = 1", "1: 'baud' is not in a table: write [default] or [profile.NAME] above it"),
    ])
  func wrongPlaces(_ text: String, _ expected: String) {
    #expect { try file(text) } throws: { "\($0)" == expected }
  }

  @Test(
    "anything else is refused with its line",
    arguments: [
      ("[defaults]", 1), ("[profile]", 1), ("\n[profile.'a/b']", 2), ("[profile.a.bad]", 1),
      ("[profile.latest]", 1), ("[profile.new]", 1), ("[profile.'a.b']", 1), ("[profile.-x]", 1),
      ("[profile.'']", 1),
      ("baud = 1", 1), ("[default]\nbad = 1", 2), ("[default]\nonly-profile = 1", 2),
      ("[profile.a]\n[profile.a]", 2),
    ])
  func refuses(_ text: String, _ line: Int) {
    #expect { try file(text) } throws: { ($0 as? ConfigurationError)?.line == line }
  }
}
