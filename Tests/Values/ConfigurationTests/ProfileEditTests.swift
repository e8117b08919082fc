import Testing

@testable import Configuration

/// Changes in the text of a configuration: only the intended parts change.
@Suite("An edit of a profile", .timeLimit(.minutes(30))) struct ProfileEditTests {
  private typealias Change = ProfileEdit.Change

  private func edit(_ text: String, _ changes: [ProfileEdit.Change], profile: String = "a") throws
    -> ProfileEdit
  {
    try ProfileEdit(of: profile, in: Array(text.utf8), changes)
  }

  private func edited(_ text: String, _ changes: ProfileEdit.Change...) throws -> String {
    String(decoding: try edit(text, changes).document, as: UTF8.self)
  }

  @Test("a value is replaced in place, and the comment after it stays")
  func replacing() throws {
    let text = "# mine\n[profile.a] # the board\n  baud   =  300   # slow\nhex = true\n"
    #expect(
      try edited(text, Change("baud", .integer(9_600)))
        == "# mine\n[profile.a] # the board\n  baud   =  9600   # slow\nhex = true\n")
    let lines = try edit(text, [Change("baud", .integer(9_600))]).lines
    #expect(lines == [.removed("  baud   =  300   # slow"), .added("  baud   =  9600   # slow")])
  }

  @Test("a value of several lines is replaced as a whole")
  func severalLines() throws {
    let text = "[profile.a]\nlog = [ # all\n  \"x\",\n  \"y\" ] # end\nhex = true\n"
    #expect(try edited(text, Change("log", nil)) == "[profile.a]\nhex = true\n")
    #expect(
      try edited(text, Change("log", .string("z")))
        == "[profile.a]\nlog = \"z\" # end\nhex = true\n")
    #expect(
      try edit(text, [Change("log", nil)]).lines
        == [.removed("log = [ # all"), .removed("  \"x\","), .removed("  \"y\" ] # end")])
  }

  @Test("new keys are inserted after the last one of the table")
  func adding() throws {
    let text =
      "[default]\nhex = true\n\n[profile.a]\n\tbaud = 300\n# about b\n[profile.b]\nbaud = 300\n"
    #expect(
      try edited(text, Change("hex", .boolean(false)), Change("map", .string("ICRNL")))
        == "[default]\nhex = true\n\n[profile.a]\n\tbaud = 300\n\thex = false\n\tmap = \"ICRNL\"\n# about b\n[profile.b]\nbaud = 300\n"
    )
    #expect(
      try edited("[profile.a]\n[profile.a.snippets]\nx = 'y'", Change("baud", .integer(300)))
        == "[profile.a]\nbaud = 300\n[profile.a.snippets]\nx = 'y'")
  }

  @Test("a profile without its own table gets one at the end")
  func newTable() throws {
    #expect(try edited("", Change("baud", .integer(300))) == "[profile.a]\nbaud = 300\n")
    #expect(
      try edited("[profile.b]\nhex = true", Change("baud", .integer(300)))
        == "[profile.b]\nhex = true\n\n[profile.a]\nbaud = 300\n")
    #expect(
      try edited("[profile.a.snippets]\nx = 'y'\n", Change("baud", .integer(300)))
        == "[profile.a.snippets]\nx = 'y'\n\n[profile.a]\nbaud = 300\n")
  }

  @Test("dotted keys stay dotted keys")
  func dottedKeys() throws {
    let text = "profile.a.baud = 300 # slow\nprofile.b.baud = 300\n[default]\nhex = true\n"
    #expect(
      try edited(text, Change("baud", .integer(9_600)), Change("hex", .boolean(false)))
        == "profile.a.baud = 9600 # slow\nprofile.a.hex = false\nprofile.b.baud = 300\n[default]\nhex = true\n"
    )
    #expect(
      try edited("[profile]\n'a'.baud = 300\n", Change("hex", .boolean(true)))
        == "[profile]\n'a'.baud = 300\na.hex = true\n")
  }

  @Test(
    "an inline table is refused, with its line",
    arguments: [
      (
        "\nprofile = { a = { baud = 300 } }\n",
        "'profile' is an inline table (line 2): write [profile.a] instead"
      ),
      (
        "[profile]\na = { baud = 300 }\n",
        "'profile.a' is an inline table (line 2): write [profile.a] instead"
      ),
      (
        "profile.a = { baud = 300 }\n",
        "'profile.a' is an inline table (line 1): write [profile.a] instead"
      ),
    ])
  func inlineTables(_ text: String, _ expected: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try edit(text, [Change("baud", .integer(9_600))])
    }
    #expect(error?.what == expected)
  }

  @Test("line ends, a byte order mark and a missing line end stay as they are")
  func bytes() throws {
    #expect(
      try edited(
        "\u{FEFF}[profile.a]\r\nbaud = 300\r\n", Change("baud", .integer(9)),
        Change("hex", .boolean(true)))
        == "\u{FEFF}[profile.a]\r\nbaud = 9\r\nhex = true\r\n")
    #expect(
      try edited("[profile.a]\nbaud = 300", Change("hex", .boolean(true)))
        == "[profile.a]\nbaud = 300\nhex = true")
    #expect(try edited("[profile.a]\nbaud = 300", Change("baud", nil)) == "[profile.a]\n")
    #expect(
      try edited("[profile.a]\nbaud = 300", Change("baud", nil), Change("hex", .boolean(true)))
        == "[profile.a]\n\nhex = true")
  }

  @Test("an invalid file, or one that the change would make invalid, is not changed")
  func mistakes() {
    for text in ["[profile.a", "[profile.a]\nbaud = 300\nbaud = 9\n", "profile = {}\n"] {
      #expect(throws: ConfigurationError.self, "\(text)") {
        try edit(text, [Change("baud", .integer(9))])
      }
    }
  }

  /// In any file, all lines that are not reported as changed stay the same.
  @Test func `Every other line stays, byte for byte`() throws {
    let text = """
      # a comment with a [profile.a] in it
      [default]
      baud = 300   # for all
      highlight = '''
      [profile.a]
      baud = 1'''

      [profile.a]
      # the rate
      baud = 0x2580
      "hex" = true
      log = ["a", # one
        "b"]

      [profile.b]
      baud = 1_200

      """
    let changes: [(String, Value?)] = [
      ("baud", nil), ("baud", .integer(9)), ("hex", nil), ("hex", .boolean(false)), ("log", nil),
      ("log", .string("c")), ("map", .string("#\"'\n")), ("baud", .integer(9_600)),
    ]
    for (key, value) in changes {
      let edit = try edit(text, [Change(key, value)])
      var (old, new) = (
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init),
        String(decoding: edit.document, as: UTF8.self)
          .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      )
      for line in edit.lines {
        switch line {
        case .removed(let line): old.remove(at: try #require(old.lastIndex(of: line)))
        case .added(let line): new.remove(at: try #require(new.lastIndex(of: line)))
        }
      }
      #expect(old == new, "\(key)")
    }
  }
}
