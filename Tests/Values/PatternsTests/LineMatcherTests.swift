import TestSupport
import Testing

@testable import Patterns

@Suite(.timeLimit(.minutes(30))) struct LineMatcherTests {
  private func matches(_ regex: String, _ line: String) throws -> Bool {
    var matcher = LineMatcher(try Pattern(parsing: regex))
    return Array(line.utf8).withUnsafeBytes { matcher.matches($0) }
  }

  /// The result of ``PatternSearch`` for the whole line.
  private func reference(_ regex: String, _ line: String) throws -> Bool {
    var search = PatternSearch(for: try Pattern(parsing: regex))
    return Array(line.utf8).withUnsafeBytes { search.search($0) } != nil
  }

  @Test(
    arguments: [
      ("b", "abc", true), ("d", "abc", false), ("^b", "abc", false), ("^a", "abc", true),
      ("c$", "abc", true), ("b$", "abc", false), ("^$", "", true), ("^$", "a", false),
      ("x*", "abc", true), (#"\bE\b"#, "ERR E", true), (#"\bE\b"#, "ERR", false),
      (#"\Bb"#, "ab", true), (#"\Bb"#, "b", false), ("ü.", "xüß", true), ("[ä-ü]", "z", false),
      ("[^a]", "aaé", true), ("a{3}", "aa a aa", false), ("(?i)err", "ERROR", true),
      (#"\d+$"#, "v1.25", true), ("😀", "a😀", true), ("^.$", "😀", true),
    ])
  func matches_findsPresentDevices(_ regex: String, _ line: String, _ isMatch: Bool) throws {
    #expect(try matches(regex, line) == isMatch)
    #expect(try reference(regex, line) == isMatch)
  }

  /// Random expressions on random lines, with one matcher for all lines, so that its table contains
  /// states of earlier lines.
  @Test func matches_agreesWithPatternSearch() throws {
    var random = Generator(state: 19)
    let atoms = [
      "a", "b", ".", "[ab]", "[^a]", #"\w"#, #"\b"#, #"\B"#, "^", "$", "ü", "(a|bc)", "(?:b|)",
      #"\s"#,
    ]
    let suffixes = ["", "", "", "*", "+", "?", "{2}", "{1,3}"]
    let letters = Array("abcü 😀")
    for _ in 0..<repetitions(400) {
      var regex = ""
      for _ in 0..<random.below(6) + 1 {
        let atom = atoms[random.below(atoms.count)]
        let isPlace = ["^", "$", #"\b"#, #"\B"#].contains(atom)
        regex += atom + (isPlace ? "" : suffixes[random.below(suffixes.count)])
      }
      guard let pattern = try? Pattern(parsing: regex) else { continue }
      var matcher = LineMatcher(pattern)
      for _ in 0..<30 {
        let line = String((0..<random.below(12)).map { _ in letters[random.below(letters.count)] })
        let isMatch = Array(line.utf8).withUnsafeBytes { matcher.matches($0) }
        #expect(isMatch == (try reference(regex, line)), "/\(regex)/ in '\(line)'")
      }
    }
  }

  /// A pattern whose deterministic automaton has a million states: the table is cleared many times.
  @Test func matches_keepsItsTableBounded() throws {
    let regex = "a[ab]{19}c"
    var matcher = LineMatcher(try Pattern(parsing: regex))
    var random = Generator(state: 7)
    for _ in 0..<60 {
      var line = String((0..<400).map { _ in random.below(2) == 0 ? "a" : "b" })
      if random.below(2) == 0 { line += "c" }
      let isMatch = Array(line.utf8).withUnsafeBytes { matcher.matches($0) }
      #expect(isMatch == (try reference(regex, line)))
      #expect(matcher.size <= 600_000)
    }
  }

  @Test func matches_readsBytesThatAreNotUTF8() throws {
    var matcher = LineMatcher(try Pattern(parsing: "^.b.$"))
    #expect(([0xFF, 0x62, 0xC3] as [UInt8]).withUnsafeBytes { matcher.matches($0) })
  }

  /// Bytes that are no character, although they have the form of one: a form that is too long
  /// (of U+002F, three times), a surrogate, a number above the greatest code point.
  @Test(
    arguments: [
      [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xED, 0xA0, 0x80],
      [0xF4, 0x90, 0x80, 0x80],
    ] as [[UInt8]])
  func eachByteOfWhatOnlyLooksLikeACharacter_isOne(_ bytes: [UInt8]) throws {
    for (regex, isMatch) in [("^.$", false), ("/", false), ("^.{\(bytes.count)}$", true)] {
      let pattern = try Pattern(parsing: regex)
      var (matcher, captures) = (LineMatcher(pattern), LineCaptures(pattern))
      var search = PatternSearch(for: pattern)
      bytes.withUnsafeBytes { line in
        #expect(matcher.matches(line) == isMatch, "\(regex)")
        #expect((captures.captures(in: line, budget: 1_000) != nil) == isMatch, "\(regex)")
        #expect((search.search(line) != nil) == isMatch, "\(regex)")
      }
    }
  }

  private struct Generator {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }
  }
}
