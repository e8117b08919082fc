/// How well a query matches a choice, and at which positions. A lesser match is better.
///
/// From the best to the worst: the choice is the query that was typed; the query is the label (the
/// key of a command), the name, a prefix of the name, a synonym, or a prefix of a synonym.
/// Otherwise each of its words is found anywhere, in any order, and the worst word counts.
/// Abbreviations count only if nothing matches better, because they mislead.
struct ChoiceMatch: Hashable, Comparable {
  /// How the query as a whole matches, the best first.
  enum Rank: Hashable, Comparable {
    case typed
    case label
    case name
    case nameStart
    case synonym
    case synonymStart
    case words(SearchText.Closeness)
    /// A typed text that cannot be chosen.
    case refused
  }

  let rank: Rank
  /// The order of matches with the same rank. Less is better.
  private(set) var penalty = 0
  /// The position of each word.
  private var found: [Found] = []

  private struct Found: Hashable {
    let field: SearchableChoice.Field
    let positions: [Int]
  }

  /// The indices of the matching characters in the label.
  var label: Set<Int> { positions(in: .label) }
  /// The indices of the matching characters in the title.
  var title: Set<Int> { positions(in: .title) }
  /// The indices of the matching characters in the detail.
  var detail: Set<Int> { positions(in: .detail) }

  /// The indices of the matching characters in a field. They are computed when needed, because only
  /// a few of thousands of choices are shown.
  private func positions(in field: SearchableChoice.Field) -> Set<Int> {
    Set(found.lazy.filter { $0.field == field }.flatMap(\.positions))
  }

  static func < (one: ChoiceMatch, other: ChoiceMatch) -> Bool {
    (one.rank, one.penalty) < (other.rank, other.penalty)
  }

  /// Matches a query; nil if one of its words is not found.
  init?(_ query: SearchQuery, in choice: SearchableChoice) {
    if let typed = choice.typedRank {
      rank = typed
      return
    }
    var worst = SearchText.Closeness.word
    for word in query.words {
      guard let (field, match) = choice.best(word) else { return nil }
      worst = max(worst, match.closeness)
      penalty += field.rawValue * Self.fieldPenalty + min(match.gapCount, Self.gapLimit)
      found.append(Found(field: field, positions: match.positions))
    }
    rank = choice.rank(of: query) ?? .words(worst)
    // Equal matches of the query as a whole keep their order.
    if rank != .words(worst) { penalty = 0 }
  }

  /// Every choice matches a query without words.
  static let ofEmptyQuery = ChoiceMatch(rank: .words(.word))

  private init(rank: Rank) { self.rank = rank }

  private static let gapLimit = 15
  private static let fieldPenalty = 16

  /// The indices of the matching choices, the best first. Equal ones keep their order.
  static func ranking(
    of choices: [SearchableChoice], for query: SearchQuery
  ) -> [(index: Int, match: ChoiceMatch)] {
    let matches = choices.enumerated()
      .compactMap { index, choice in ChoiceMatch(query, in: choice).map { (index, $0) } }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    let abbreviation = Rank.words(.abbreviation)
    guard matches.contains(where: { $0.1.rank > .typed && $0.1.rank < abbreviation }) else {
      return matches
    }
    return matches.filter { $0.1.rank != abbreviation }
  }
}

/// A typed query, prepared for searching.
struct SearchQuery {
  /// The text without spaces at its ends.
  let text: String
  let whole: SearchText
  let words: [SearchWord]

  /// The maximum number of words that are searched separately. The last one contains the rest
  /// of the query.
  private static let wordLimit = 8

  init(_ text: String) {
    let isSpace: (Character) -> Bool = { $0 == " " }
    let rest = text.drop(while: isSpace)
    self.text = String(rest.reversed().drop(while: isSpace).reversed())
    whole = SearchText(self.text)
    words = text.split(separator: " ", maxSplits: Self.wordLimit - 1).map(SearchWord.init)
  }
}

/// The texts of a choice, prepared for searching.
struct SearchableChoice {
  /// A text of a choice, in the order of preference between equal matches.
  enum Field: Int {
    case label, title, synonym, detail
  }

  /// The rank of a typed text; nil for any other choice.
  let typedRank: ChoiceMatch.Rank?

  private let key: String
  private let name: SearchText
  private let synonyms: [SearchText]
  /// The texts, and how many of their first characters a word may match in pieces. These are the
  /// label and the name: synonyms are not shown, and descriptions say more than what the choice is.
  private let texts: [(field: Field, text: SearchText, pieces: Int)]

  init<ID>(_ choice: Choice<ID>) {
    typedRank = choice.isTyped ? (choice.isEnabled ? .typed : .refused) : nil
    key = choice.label
    let title = SearchText(choice.title)
    name = choice.name == choice.title ? title : SearchText(choice.name)
    synonyms = choice.synonyms.map { SearchText($0) }
    let label = SearchText(choice.label)
    texts =
      [
        (.label, label, label.characters.count),
        (.title, title, title.hasPrefix(name) ? name.characters.count : 0),
      ] + synonyms.map { (.synonym, $0, 0) } + [(.detail, SearchText(choice.detail), 0)]
  }

  /// How a query matches the label, the name and the synonyms as a whole; nil if it does not.
  func rank(of query: SearchQuery) -> ChoiceMatch.Rank? {
    guard !query.words.isEmpty else { return nil }
    let whole = query.whole
    // Keys of commands are case-sensitive.
    if key == query.text { return .label }
    if name.characters == whole.characters { return .name }
    if name.hasPrefix(whole) { return .nameStart }
    if synonyms.contains(where: { $0.characters == whole.characters }) { return .synonym }
    return synonyms.contains { $0.hasPrefix(whole) } ? .synonymStart : nil
  }

  /// The closest match of a word; nil if there is none.
  func best(_ word: SearchWord) -> (field: Field, match: SearchText.Match)? {
    var best: (field: Field, match: SearchText.Match)?
    for (field, text, pieces) in texts {
      guard let match = text.match(word, inPiecesOfFirst: pieces),
        best.map({ match.closeness < $0.match.closeness }) ?? true
      else { continue }
      best = (field, match)
      if match.closeness <= .wordStart { break }
    }
    return best
  }
}
