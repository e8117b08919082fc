import Patterns
import Testing

@Suite("A search in a stream", .timeLimit(.minutes(30)))
struct PatternSearchTests {
  /// The ranges of the match in a stream that arrives in pieces; nil if there is none.
  private func match(_ regex: String, _ pieces: [[UInt8]]) throws -> [Range<Int>?]? {
    var search = PatternSearch(for: try Pattern(parsing: regex, capturing: true))
    for piece in pieces {
      if let match = piece.withUnsafeBytes({ search.search($0) }) { return match.ranges }
    }
    return nil
  }

  private func match(_ regex: String, _ pieces: String...) throws -> [Range<Int>?]? {
    try match(regex, pieces.map { Array($0.utf8) })
  }

  @Test(
    "the whole match and the groups",
    arguments: [
      (#"temp=(\d+)\.(\d)|hum=(\d+)"#, "x temp=25.1 C", [2..<11, 7..<9, 10..<11, nil]),
      (#"temp=(\d+)\.(\d)|hum=(\d+)"#, "x hum=9", [2..<7, nil, nil, 6..<7]),
      ("(a|ab)(c|bcd)(d*)", "abcd", [0..<4, 0..<1, 1..<4, 4..<4]),
      ("((a)|b)+", "ab", [0..<2, 1..<2, 0..<1]),
      ("(a*?)(a+)b", "aab", [0..<3, 0..<0, 0..<2]), ("(?:(a)b){2}", "abab", [0..<4, 2..<3]),
      ("(ü)!", "ü!", [0..<3, 0..<2]), ("(x)?y", "y", [0..<1, nil]),
    ] as [(String, String, [Range<Int>?])])
  func captures(_ regex: String, _ text: String, _ ranges: [Range<Int>?]) throws {
    #expect(try match(regex, text) == ranges)
  }

  @Test("a match ends with the bytes so far, and may be split anywhere")
  func pieces() throws {
    #expect(try match("board> ", "boa", "rd> ", "x") == [0..<7])
    #expect(try match(#"(\d+)"#, "v1", "23") == [1..<2, 1..<2])
    #expect(try match(#"(\d+)"#, "v123") == [1..<4, 1..<4])
    #expect(try match(#"(\d+)\r"#, "v1", "23", "\r\n") == [1..<5, 1..<4])
    #expect(try match("> $", "a > b", " > ", "c") == [6..<8])
    #expect(try match("b|ab", "a", "b") == [0..<2])
    #expect(try match("ab.|b", "a", "b") == [1..<2])
  }

  @Test("a character waits for its last byte; invalid UTF-8 is read as a substitute")
  func characters() throws {
    #expect(try match("ü$", [[0xC3], [0xBC]]) == [0..<2])
    #expect(try match("a$", [[0x61, 0xC3], [0xBC]]) == nil)
    #expect(try match("a(.)", [[0x61, 0xE2, 0x82], [0xAC]]) == [0..<4, 1..<4])
    #expect(try match(#"\x1a\x1a\("#, [[0xE2, 0x82, 0x28]]) == [0..<3])
    let bytes: [UInt8] = [0xFF, 0xC3, 0x28, 0xE2, 0x82] + Array("ok ü!".utf8)
    #expect(try match("(ü)!", [bytes]) == [8..<11, 8..<10])
    for byte in UInt8.min...UInt8.max {
      let text = String(decoding: [byte, 0x21], as: UTF8.self)
      let expected = text.utf8.count == 2 ? UInt32(byte) : 0x1A
      let hex = expected < 16 ? "0\(String(expected, radix: 16))" : String(expected, radix: 16)
      #expect(try match("^\\x\(hex)!", [[byte, 0x21]]) == [0..<2], "\(byte)")
    }
  }

  @Test("a search may continue in the middle of a line")
  func continued() throws {
    let pattern = try Pattern(parsing: "^a")
    var inside = PatternSearch(for: pattern, from: 10, after: 0x78)
    let text = Array("a\na".utf8)
    #expect(text.withUnsafeBytes { inside.search($0) }?.whole == 12..<13)
    var atStart = PatternSearch(for: pattern, from: 10)
    #expect(text.withUnsafeBytes { atStart.search($0) }?.whole == 10..<11)
  }

  @Test(
    "the time for a byte does not depend on how many came before",
    arguments: [
      "(a+)+b", "(a|a)*b", "(.*)(.*)(.*)(.*)b", "a[^b]*b", "(a?){100}a{100}b",
    ])
  func linear(_ regex: String) throws {
    var search = PatternSearch(for: try Pattern(parsing: regex, capturing: true))
    let piece = [UInt8](repeating: 0x61, count: 300)
    for _ in 0..<5 { #expect(piece.withUnsafeBytes { search.search($0) } == nil) }
    let match = [UInt8(0x62)].withUnsafeBytes { search.search($0) }
    #expect(match?.whole.upperBound == 1_501)
  }

  @Test(
    "an expression that never matches is recognised",
    arguments: [
      ("a", false), ("a*", true), ("^", true), ("$", true), ("a|", true), (#"\b"#, false),
      ("^a", false),
    ])
  func empty(_ regex: String, _ isEmpty: Bool) throws {
    #expect(try Pattern(parsing: regex).matchesEmptyText == isEmpty)
  }
}
