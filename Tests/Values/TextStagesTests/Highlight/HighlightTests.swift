import Patterns
import Testing
import TextStages

@Suite(.timeLimit(.minutes(30))) struct HighlightTests {
  @Test func theLastEqualsSign_separates() throws {
    let highlights = try Highlight.parsing("a=b=bright-red")
    #expect(highlights.map(\.pattern.text) == ["a=b"])
    #expect(highlights.map(\.colour) == [HighlightColour(parsing: "bright-red")])
  }

  @Test(arguments: [
    ("x", "REGEX=COLOUR"), ("x=pink", "'pink' is not a colour; expected black"),
    ("=red", "regular expression before the '=' is missing"),
    ("(=red", "character 1"), ("x=", "''"),
  ])
  func errors_nameTheExpectedForm(_ text: String, _ words: String) throws {
    let error = try #require(throws: HighlightError.self) { try Highlight.parsing(text) }
    #expect("\(error)".contains(words), "\(error)")
  }

  @Test(
    arguments: [
      ("E (123) wifi: no", "red", "E (123) wifi: no"), ("W (1) x", "yellow", "W (1) x"),
      ("I (1) x", "green", "I (1) x"), ("D (1) x", "cyan", "D (1) x"),
      ("<3>usb 1-1: x", "red", "<3>usb 1-1: x"), ("<6>x", "green", "<6>x"),
      ("[00:01] <wrn> net: x", "yellow", "<wrn> net: x"), ("12:00 ERROR x", "red", "ERROR"),
      ("x WARNING y", "yellow", "WARNING"), ("INFO: x", "green", "INFO"),
      ("DEBUG", "cyan", "DEBUG"),
    ])
  func levels_areThoseOfFirmware(_ line: String, _ colour: String, _ expected: String) throws {
    let scalars = line.unicodeScalars.map(\.value)
    var found: [String: String] = [:]
    for highlight in Highlight.levels {
      var budget = Int.max
      for match in highlight.pattern.matches(in: scalars, budget: &budget) {
        let name = ["red", "yellow", "green", "cyan"].first {
          HighlightColour(parsing: $0) == highlight.colour
        }
        found[try #require(name)] = String(
          String.UnicodeScalarView(scalars[match].compactMap(Unicode.Scalar.init)))
      }
    }
    #expect(found == [colour: expected])
  }

  @Test(arguments: ["no errors", "INFORMATION", "WE (12)", "the E (x)"])
  func levels_leaveTheRestAlone(_ line: String) {
    for highlight in Highlight.levels {
      var budget = Int.max
      let scalars = line.unicodeScalars.map(\.value)
      #expect(highlight.pattern.matches(in: scalars, budget: &budget).isEmpty)
    }
  }
}
