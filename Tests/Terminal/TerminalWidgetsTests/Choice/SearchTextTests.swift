import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct SearchTextTests {
  private static func match(_ word: String, _ text: String) -> SearchText.Match? {
    SearchText(text).match(SearchWord(word), inPiecesOfFirst: text.count)
  }

  @Test(arguments: [
    ("break", "send a break", SearchText.Closeness.word, [7, 8, 9, 10, 11]),
    ("bre", "send a break", .wordStart, [7, 8, 9]), ("log", "logs of a log", .word, [10, 11, 12]),
    ("usb0", "ttyUSB0", .word, [3, 4, 5, 6]), ("0", "ttyS10", .inside, [5]),
    ("1", "ttyS10", .wordStart, [4]), ("sb", "send a break", .initials, [0, 7]),
    ("sefi", "send-file", .initials, [0, 1, 5, 6]), ("at", "show a state", .inside, [9, 10]),
    ("brk", "send a break", .abbreviation, [7, 8, 11]),
    ("cfg", "show config", .abbreviation, [5, 8, 10]), ("É", "café", .inside, [3]),
    ("e\u{301}", "café", .inside, [3]), ("send-f", "send file", .wordStart, [0, 1, 2, 3, 4, 5]),
    ("世", "a 世", .word, [2]), ("abab", "abaabab", .inside, [3, 4, 5, 6]),
  ])
  func word_isFoundWhereItFitsMostClosely(
    word: String, text: String, closeness: SearchText.Closeness, positions: [Int]
  ) {
    #expect(Self.match(word, text) == SearchText.Match(closeness: closeness, positions: positions))
  }

  @Test(arguments: [
    ("x", "abc"), ("esp", "/dev/ttyS1, primary"), ("date", "send a text"), ("rk", "break"),
    ("ba", "ab"), ("aa", "a"), ("a", ""), ("", "a"),
  ])
  func word_isNotFound_whenItsCharactersAreNotThereInOrder(word: String, text: String) {
    #expect(Self.match(word, text) == nil)
  }

  @Test func word_isFoundInPieces_inTheFirstCharactersOnly() {
    for (word, closeness) in [("sf", SearchText.Closeness.initials), ("fl", .abbreviation)] {
      let (text, word) = (SearchText("send-file: it is sent"), SearchWord(word))
      #expect(text.match(word, inPiecesOfFirst: 9)?.closeness == closeness)
      #expect(text.match(word, inPiecesOfFirst: 5) == nil)
      #expect(text.match(word, inPiecesOfFirst: 0) == nil)
    }
    #expect(SearchText("a b").match(SearchWord("b"), inPiecesOfFirst: 0)?.closeness == .word)
  }

  @Test func word_isFound_whereverItIsContained_andNeverOutOfOrder() throws {
    var chance = Chance(seed: 3)
    let letters: [Character] = ["a", "b", "A", " ", "é"]
    for _ in 0..<5000 {
      let text = (0..<chance.number(0...9)).map { _ in letters[chance.number(0...4)] }
      let word = (0..<chance.number(1...3)).map { _ in letters[chance.number(0...4)] }
      let match = Self.match(String(word), String(text))
      #expect(match == nil || Self.isSubsequence(word, of: text))
      let isContained = String(text).lowercased().contains(String(word).lowercased())
      #expect(!isContained || match != nil)
      guard let match else { continue }
      #expect(match.positions == match.positions.sorted())
      #expect(match.positions.map { text[$0].lowercased() } == word.map { $0.lowercased() })
      #expect(isContained || match.closeness != .inside)
      #expect(!isContained || match.closeness != .abbreviation)
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
