import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct SearchTextTests {
  private static func match(_ word: String, _ text: String) -> SearchText.Match? {
    SearchText(text).match(SearchWord(word))
  }

  @Test(arguments: [
    ("break", "send a break", SearchText.Closeness.wordStart, [7, 8, 9, 10, 11]),
    ("usb0", "ttyUSB0", .wordStart, [3, 4, 5, 6]), ("0", "ttyS10", .inside, [5]),
    ("1", "ttyS10", .wordStart, [4]), ("sb", "send a break", .initials, [0, 7]),
    ("sefi", "send-file", .initials, [0, 1, 5, 6]), ("at", "show a state", .inside, [9, 10]),
    ("brk", "send a break", .scattered, [7, 8, 11]), ("É", "café", .inside, [3]),
    ("e\u{301}", "café", .inside, [3]), ("send-f", "send file", .wordStart, [0, 1, 2, 3, 4, 5]),
    ("世", "a 世", .wordStart, [2]), ("abab", "abaabab", .inside, [3, 4, 5, 6]),
  ])
  func word_isFoundWhereItFitsMostClosely(
    word: String, text: String, closeness: SearchText.Closeness, positions: [Int]
  ) {
    #expect(Self.match(word, text) == SearchText.Match(closeness: closeness, positions: positions))
  }

  @Test(arguments: [("x", "abc"), ("ba", "ab"), ("aa", "a"), ("a", ""), ("", "a")])
  func word_isNotFound_whenItsCharactersAreNotThereInOrder(word: String, text: String) {
    #expect(Self.match(word, text) == nil)
  }

  @Test func word_isFound_wheneverItsCharactersAreThereInOrder() throws {
    var chance = Chance(seed: 3)
    let letters: [Character] = ["a", "b", "A", " ", "é"]
    for _ in 0..<5000 {
      let text = (0..<chance.number(0...9)).map { _ in letters[chance.number(0...4)] }
      let word = (0..<chance.number(1...3)).map { _ in letters[chance.number(0...4)] }
      let match = Self.match(String(word), String(text))
      #expect((match != nil) == Self.isSubsequence(word, of: text))
      guard let match else { continue }
      #expect(match.positions == match.positions.sorted())
      #expect(match.positions.map { text[$0].lowercased() } == word.map { $0.lowercased() })
      let isContained = String(text).lowercased().contains(String(word).lowercased())
      #expect(isContained || match.closeness != .inside)
      #expect(!isContained || match.closeness != .scattered)
    }
  }

  private static func isSubsequence(_ word: [Character], of text: [Character]) -> Bool {
    var rest = word[...]
    for character in text where character.lowercased() == rest.first?.lowercased() {
      rest.removeFirst()
    }
    return rest.isEmpty
  }
}
