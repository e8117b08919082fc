/// Finds the characters of a query in a text, in order but not necessarily side by side, and says
/// how well they fit.
///
/// Upper and lower case are the same to it, but the same case fits a little better. Where the query
/// can be found in several ways, the best is taken: at the beginning of words, and in one piece.
struct FuzzyMatcher {
  /// What was found.
  struct Match: Hashable {
    /// How well it fits; more is better.
    let score: Int
    /// Which characters of the text were found, by their number, ascending.
    let positions: [Int]
  }

  /// What a found character is worth, and what more it is worth where it stands.
  private enum Points {
    static let found = 16
    static let sameCase = 1
    static let afterFound = 8
    static let wordStart = 8
    static let textStart = 4
    /// For each character that is jumped over, as far as the limit.
    static let gap = -1
    static let gapLimit = -6
  }

  private let query: [FoldedCharacter]

  init(query: some StringProtocol) { self.query = query.map(FoldedCharacter.init) }

  /// Looks for the query; nil when it is not there. An empty query is found everywhere.
  func match(_ text: some StringProtocol) -> Match? {
    guard !query.isEmpty else { return Match(score: 0, positions: []) }
    let text = text.map(FoldedCharacter.init)
    guard text.count >= query.count else { return nil }
    // The best score of the query up to a row's character, ending at a column's; and where the
    // character before was found.
    var scores: [Int?] = []
    var origins: [[Int]] = []
    for (row, wanted) in query.enumerated() {
      var next = [Int?](repeating: nil, count: text.count)
      var origin = [Int](repeating: -1, count: text.count)
      for column in text.indices.dropFirst(row) where text[column].isSame(as: wanted) {
        let own = Self.points(of: column, in: text, for: wanted)
        guard row > 0 else {
          next[column] = own + Self.gapPoints(column)
          continue
        }
        for previous in (row - 1)..<column {
          guard let before = scores[previous] else { continue }
          let gap = column - previous - 1
          let score = before + own + (gap == 0 ? Points.afterFound : Self.gapPoints(gap))
          if score > next[column] ?? .min {
            next[column] = score
            origin[column] = previous
          }
        }
      }
      scores = next
      origins.append(origin)
    }
    return best(of: scores, origins)
  }

  private func best(of scores: [Int?], _ origins: [[Int]]) -> Match? {
    var end: (column: Int, score: Int)?
    for (column, score) in scores.enumerated() {
      if let score, score > end?.score ?? .min { end = (column, score) }
    }
    guard let end else { return nil }
    var positions: [Int] = []
    var column = end.column
    for origin in origins.reversed() {
      positions.append(column)
      column = origin[column]
    }
    return Match(score: end.score, positions: positions.reversed())
  }

  private static func points(
    of column: Int, in text: [FoldedCharacter], for wanted: FoldedCharacter
  ) -> Int {
    var points = Points.found
    if text[column].original == wanted.original { points += Points.sameCase }
    if column == 0 { points += Points.textStart }
    if column == 0 || text[column].beginsWord(after: text[column - 1]) {
      points += Points.wordStart
    }
    return points
  }

  private static func gapPoints(_ gap: Int) -> Int { max(Points.gapLimit, gap * Points.gap) }
}

/// A character, and what it is compared by.
private struct FoldedCharacter {
  let original: Character
  private let folded: String

  init(_ character: Character) {
    original = character
    folded = character.lowercased()
  }

  func isSame(as other: FoldedCharacter) -> Bool { folded == other.folded }

  /// Whether a word begins here: after what is no letter or digit, at a digit after a letter, or at
  /// a capital after a small letter.
  func beginsWord(after previous: FoldedCharacter) -> Bool {
    guard original.isLetter || original.isNumber else { return false }
    if !(previous.original.isLetter || previous.original.isNumber) { return true }
    if original.isNumber { return !previous.original.isNumber }
    return original.isUppercase && previous.original.isLowercase
  }
}
