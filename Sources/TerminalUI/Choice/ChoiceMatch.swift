/// Where a query was found in a choice, and how well it fits.
///
/// The query's words may stand anywhere, in any order: each is looked for in each of the texts, and
/// counts where it fits best.
struct ChoiceMatch: Hashable {
  private(set) var score = 0
  /// The characters that were found, by their number in the label, the title and the detail.
  private(set) var label: Set<Int> = []
  private(set) var title: Set<Int> = []
  private(set) var detail: Set<Int> = []

  /// What a word is worth that is the whole label: the key of a command.
  private static let wholeLabel = 64
  /// A title says what a choice is, and comes before what else is said.
  private static let detailScale = 2

  /// The match of an empty query.
  init() {}

  /// Looks for a query; nil when one of its words is nowhere.
  init?<ID>(_ query: String, in choice: Choice<ID>) {
    for word in query.split(separator: " ") {
      let matcher = FuzzyMatcher(query: word)
      let inLabel = matcher.match(choice.label)
      let inTitle = matcher.match(choice.title)
      let inDetail = matcher.match(choice.detail)
      let labelScore = inLabel.map { match in
        match.score + (match.positions.count == choice.label.count ? Self.wholeLabel : 0)
      }
      let detailScore = inDetail.map { $0.score / Self.detailScale }
      guard let best = [labelScore, inTitle?.score, detailScore].compactMap(\.self).max() else {
        return nil
      }
      score += best
      if best == inTitle?.score {
        title.formUnion(inTitle?.positions ?? [])
      } else if best == labelScore {
        label.formUnion(inLabel?.positions ?? [])
      } else {
        detail.formUnion(inDetail?.positions ?? [])
      }
    }
  }

  /// The choices in which a query is found, by their number, best first; equals stay in order.
  static func ranking<ID>(
    of choices: [Choice<ID>], for query: String
  ) -> [(index: Int, match: ChoiceMatch)] {
    choices.enumerated()
      .compactMap { index, choice in
        ChoiceMatch(query, in: choice).map { (index, $0) }
      }
      .sorted { ($1.1.score, $0.0) < ($0.1.score, $1.0) }
  }
}
