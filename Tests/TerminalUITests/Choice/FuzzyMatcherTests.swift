import Testing

@testable import TerminalUI

@Suite struct FuzzyMatcherTests {
  private static func positions(_ query: String, _ text: String) -> [Int]? {
    FuzzyMatcher(query: query).match(text)?.positions
  }

  @Test(arguments: [
    ("", "send a break", [Int]()), ("sb", "send a break", [0, 7]), ("SEND", "send", [0, 1, 2, 3]),
    ("brk", "send a break", [7, 8, 11]), ("usb0", "ttyUSB0", [3, 4, 5, 6]),
    ("at", "show a state", [9, 10]), ("é", "CAFÉ", [3]), ("0", "ttyS10", [5]),
  ])
  func query_isFoundInOrder_whereItFitsBest(query: String, text: String, positions: [Int]) {
    #expect(Self.positions(query, text) == positions)
  }

  @Test(arguments: [("x", "abc"), ("ba", "ab"), ("aa", "a"), ("a", "")])
  func query_isNotFound_whenItsCharactersAreNotThereInOrder(query: String, text: String) {
    #expect(Self.positions(query, text) == nil)
  }

  @Test(arguments: [
    ("br", "break", "keyboard"), ("st", "statistics", "list"), ("sb", "send break", "usb"),
    ("con", "configuration", "clear old notes"), ("L", "L", "l"), ("rec", "reconnect", "r e c"),
  ])
  func beginningsAndPieces_fitBetter(query: String, better: String, worse: String) throws {
    let matcher = FuzzyMatcher(query: query)
    #expect(try #require(matcher.match(better)).score > #require(matcher.match(worse)).score)
  }

  @Test func query_isFound_whereverItIsInOrder_andPositionsAreIts() throws {
    var chance = Chance(seed: 3)
    let letters: [Character] = ["a", "b", "A", " "]
    for _ in 0..<500 {
      let text = (0..<chance.number(0...9)).map { _ in letters[chance.number(0...3)] }
      let query = (0..<chance.number(0...3)).map { _ in letters[chance.number(0...1)] }
      let match = FuzzyMatcher(query: String(query)).match(String(text))
      #expect((match != nil) == Self.isSubsequence(query, of: text))
      guard let match else { continue }
      #expect(match.positions == match.positions.sorted())
      #expect(match.positions.map { text[$0].folded } == query.map(\.folded))
    }
  }

  private static func isSubsequence(_ query: [Character], of text: [Character]) -> Bool {
    var rest = query[...]
    for character in text where character.folded == rest.first?.folded { rest.removeFirst() }
    return rest.isEmpty
  }
}

extension Character {
  fileprivate var folded: String { lowercased() }
}
