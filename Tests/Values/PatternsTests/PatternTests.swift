import Patterns
import Testing

@Suite(.timeLimit(.minutes(30))) struct PatternTests {
  /// The matches of an expression in a text.
  private func matches(_ regex: String, _ text: String) throws -> [String] {
    let scalars = Array(text.unicodeScalars)
    var budget = Int.max
    return try Pattern(parsing: regex).matches(in: scalars.map(\.value), budget: &budget).map {
      String(String.UnicodeScalarView(scalars[$0]))
    }
  }

  @Test(
    arguments: [
      ("abc", "xabcabx abc", ["abc", "abc"]), ("a|ab", "ab", ["a"]), ("ab|a", "ab", ["ab"]),
      ("a*", "baac", ["aa"]), ("a+?", "aaa", ["a", "a", "a"]), ("a.*c", "abcbc", ["abcbc"]),
      ("a.*?c", "abcbc", ["abc"]), ("^a", "aa", ["a"]), ("a$", "aa", ["a"]), ("^$", "", []),
      (#"\bE\b"#, "ERR E", ["E"]), (#"\Bb"#, "ab b", ["b"]), ("a{2}", "aaaaa", ["aa", "aa"]),
      ("a{2,}", "aaaaa", ["aaaaa"]), ("a{1,2}", "aaa", ["aa", "a"]), ("(?:ab)+", "ababa", ["abab"]),
      ("(a|b)c", "acbc", ["ac", "bc"]), ("[a-c]+", "xabcd", ["abc"]), ("[^a-c]+", "abxyc", ["xy"]),
      ("[]x]+", "a]x", ["]x"]), ("[a-]+", "b-a", ["-a"]), (#"[\d_]+"#, "a1_2", ["1_2"]),
      (#"\d+\.\d+"#, "v1.25 x", ["1.25"]), (#"\W"#, "a_ b", [" "]), (#"[^\S]"#, "a b", [" "]),
      ("(?i)error", "Error eRROR", ["Error", "eRROR"]), ("(?i)[e]+", "Ee", ["Ee"]),
      ("(?i)[^e]", "Ex", ["x"]), (#"\x41"#, "A", ["A"]), (#"\[x\]"#, "[x]", ["[x]"]),
      ("ü.", "xüß", ["üß"]), ("[ä-ü]", "ö", ["ö"]), ("(a*)*b", "aab", ["aab"]),
      (#"\d{3}"#, "12 123 4567", ["123", "456"]), ("x?y", "xyy", ["xy", "y"]),
      (#"\bE"#, "RE E", ["E"]), (#"\BE"#, "E RE", ["E"]), ("x$|^x", "xax", ["x", "x"]),
      ("a.", "a\na\ra-", ["a-"]), ("(?s)a.", "a\n", ["a\n"]), ("(?is)A.", "a\r", ["a\r"]),
      ("^b$", "a\rb\nc", ["b"]), ("$", "a\r\n", []), (#"\r$"#, "\r\n\r", ["\r"]),
      (#"\r\n\t\e\f\0"#, "\r\n\t\u{1B}\u{C}\0", ["\r\n\t\u{1B}\u{C}\0"]),
    ] as [(String, String, [String])])
  func matches_areThoseOfPerl(_ regex: String, _ text: String, _ expected: [String]) throws {
    #expect(try matches(regex, text) == expected)
  }

  @Test(
    arguments: [
      ("a)", 2, "unmatched ')'"), ("(a", 1, "unmatched '('"), ("[a", 1, "unmatched '['"),
      ("*a", 1, "nothing to repeat"),
      ("a**", 3, "cannot be repeated"), (#"a\"#, 2, "nothing follows"),
      (#"(a)\1"#, 4, "back-references"),
      ("(?=a)", 2, "(?:"), (#"\q"#, 1, "has no meaning"), ("a{2", 2, "{m}"),
      ("a{3,2}", 2, "larger"),
      ("a{999}", 2, "500 times"), ("[z-a]", 4, "range"), ("[[:digit:]]", 2, #"\["#),
      (#"\xg1"#, 1, "hexadecimal"), ("(?<=a)", 2, "(?:"), ("a++", 3, "cannot be repeated"),
      ("(?<!a)", 2, "not supported"), ("(?P=n)", 2, "not supported"), ("(?<>a)", 4, "a name"),
      ("(?<1n>a)", 4, "a name"), ("(?<n-1>a)", 5, "a name"), ("(?P<n", 6, "a name"),
      ("(?<n>a)|(?P<n>b)", 13, "another group has the name 'n'"),
      (String(repeating: "(a)", count: 33), 97, "write (?:"),
      (String(repeating: "(", count: 3_000), 33, "more than"),
      (String(repeating: "(?:", count: 3_000), 124, "simplify"),
    ] as [(String, Int, String)])
  func errors_nameTheirPlace(_ regex: String, _ place: Int, _ word: String) throws {
    let error = try #require(throws: PatternError.self) { try Pattern(parsing: regex) }
    #expect(error.place == place, "\(error)")
    #expect("\(error)".contains(word), "\(error)")
  }

  @Test func namedGroups_areKnownByTheirNames() throws {
    let regex = "(?<a>x)(y)(?:z)(?P<_b2>w)"
    #expect(try Pattern(parsing: regex, capturing: true).groupNames == ["a", nil, "_b2"])
    #expect(try Pattern(parsing: regex).groupNames == [])
    #expect(try matches(regex, "-xyzw-xyw") == ["xyzw"])
  }

  @Test(arguments: [
    "(((a{100}){100}){100}){100}", "(((((){500}){500}){500}){500}){500}",
    String(repeating: "(", count: 10_000),
  ])
  func tooLargeExpression_isRefused(_ regex: String) {
    #expect(throws: PatternError.self) { try Pattern(parsing: regex) }
  }

  /// A backtracking matcher would practically never finish these.
  @Test(arguments: [
    "(a+)+b", "(a|a)*b", "(a*)*b", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)b", "(a?){300}a{300}b",
  ])
  func noExpression_takesMoreThanItsSizeTimesTheLine(_ regex: String) throws {
    let line = Array(repeating: UInt32(0x61), count: 1_024)
    let pattern = try Pattern(parsing: regex)
    var budget = 2_000 * 1_024
    #expect(pattern.matches(in: line, budget: &budget).isEmpty)
    #expect(budget > 0)
  }

  @Test func anEmptyBudget_findsNoMore() throws {
    var budget = 10
    let line = Array(repeating: UInt32(0x61), count: 100)
    #expect(try Pattern(parsing: "a").matches(in: line, budget: &budget).count < 10)
    #expect(budget <= 0)
  }
}
