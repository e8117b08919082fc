import Testing

@testable import Configuration

@Suite("The configuration file", .timeLimit(.minutes(5)))
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
    try ConfigurationFile(parsing: Array(text.utf8)) { entry, isDefault in
      entry.key == "bad" || (isDefault && entry.key == "only-profile") ? "it is bad" : nil
    }
  }

  @Test("there is a table for every session, and profiles with names")
  func tables() throws {
    let file = try file("[default]\nbaud = 9600\n[profile.board-1]\nmatch = 'usb:1:2'\n")
    #expect(file.defaults.map(\.key) == ["baud"])
    #expect(file.profile(named: "board-1")?["match"]?.value == .string("usb:1:2"))
    #expect(file.profile(named: "board-1")?.line == 3)
    #expect(file.profile(named: "other") == nil)
  }

  @Test(
    "anything else is refused with its line",
    arguments: [
      ("[defaults]", 1), ("[profile]", 1), ("[profile.a.b]", 1), ("\n[profile.'a/b']", 2),
      ("[profile.latest]", 1), ("[profile.new]", 1), ("[profile.'a.b']", 1), ("[profile.-x]", 1),
      ("[profile.'']", 1),
      ("baud = 1", 1), ("[default]\nbad = 1", 2), ("[default]\nonly-profile = 1", 2),
      ("[profile.a]\n[profile.a]", 2),
    ])
  func refuses(_ text: String, _ line: Int) {
    #expect { try file(text) } throws: { ($0 as? ConfigurationError)?.line == line }
  }
}
