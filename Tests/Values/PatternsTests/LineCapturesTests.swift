import Patterns
import Testing

@Suite(.timeLimit(.minutes(30))) struct LineCapturesTests {
  /// The texts of the first match and its groups in a line.
  private func captures(
    _ regex: String, _ line: String, budget: Int = 100_000
  ) throws -> [String?]? {
    var search = LineCaptures(try Pattern(parsing: regex, capturing: true))
    let bytes = Array(line.utf8)
    let found = bytes.withUnsafeBytes { search.captures(in: $0, budget: budget) }
    return found?.map { $0.map { String(decoding: bytes[$0], as: UTF8.self) } }
  }

  @Test(
    arguments: [
      (#"T=(?<t>[\d.]+)"#, "a T=25.3 T=26", ["T=25.3", "25.3"]),
      (#"(?<a>\d+)|(?P<b>\w+)"#, "- x 1", ["x", nil, "x"]),
      (#"(\d+)$"#, "12 345", ["345", "345"]), (#"^(\d+)"#, "a1", nil),
      ("°(.)", "25°C", ["°C", "C"]), ("(ü+)(.*)", "süüß", ["üüß", "üü", "ß"]),
      ("x*", "axx", [""]), ("(a)|b", "", nil),
    ] as [(String, String, [String?]?)])
  func firstMatch_hasItsGroups(_ regex: String, _ line: String, _ expected: [String?]?) throws {
    #expect(try captures(regex, line) == expected)
  }

  @Test func lines_doNotDependOnEachOther() throws {
    var search = LineCaptures(try Pattern(parsing: #"^(\w+)=(\d+)$"#, capturing: true))
    for (line, expected) in [
      ("a=1", [0..<3, 0..<1, 2..<3]), ("b", nil), ("bc=23", [0..<5, 0..<2, 3..<5]),
    ] {
      let found = Array(line.utf8).withUnsafeBytes { search.captures(in: $0, budget: 1_000) }
      #expect(found == expected.map { $0.map(Optional.some) }, "\(line)")
    }
  }

  @Test func offsetsAreInBytes_alsoAfterBytesThatAreNoText() throws {
    var search = LineCaptures(try Pattern(parsing: #"(\d)"#, capturing: true))
    let line: [UInt8] = [0xFF, 0xC3, 0xBC, 0xE2, 0x82] + Array("7".utf8)
    let found = line.withUnsafeBytes { search.captures(in: $0, budget: 1_000) }
    #expect(found == [5..<6, 5..<6])
  }

  @Test func aLineThatNeedsTooManySteps_isNotMatched() throws {
    let regex = "(?:a?){50}(a{50}b)"
    let line = String(repeating: "a", count: 2_000) + "b"
    #expect(try captures(regex, line, budget: .max / 2) != nil)
    #expect(try captures(regex, line, budget: 10_000) == nil)
  }
}
