/// A list of choices that is filtered as one types: the model of the command palette and of the
/// device chooser.
///
/// The choices may change while the list is open: the query stays, and the selection stays with its
/// choice for as long as that is there.
public struct ChoiceList<ID: Hashable> {
  /// What a key has led to.
  public enum Outcome: Equatable {
    /// Nothing is to be shown anew.
    case unchanged
    case changed
    /// The choice was made.
    case chosen(ID)
    /// The choice cannot be made now; the list stays open and shows the reason.
    case refused(ID, because: String)
    /// Nothing is to be chosen.
    case cancelled
  }

  /// How many characters of a query are taken.
  public static var queryLimit: Int { 256 }

  /// All of the choices, also those that the query leaves out.
  public private(set) var choices: [Choice<ID>]
  /// What was typed to filter by.
  public private(set) var query = ""
  /// The selected one, by its place in ``matching``; nil when nothing matches.
  public private(set) var selection: Int?
  /// The place in ``matching`` of the first one that is in view.
  public private(set) var firstVisible = 0
  /// How many are in view at once, at least 1.
  public private(set) var visibleCount = 10
  /// The choice that was refused last, until the next key.
  public private(set) var refused: ID?

  var ranking: [(index: Int, match: ChoiceMatch)] = []

  /// Creates a list with the first choice selected.
  public init(_ choices: [Choice<ID>] = []) {
    self.choices = choices
    filter()
  }

  /// The choices that match the query, best first; all of them, as they are, for an empty query.
  public var matching: [Choice<ID>] { ranking.map { choices[$0.index] } }

  /// How many choices match the query.
  public var matchCount: Int { ranking.count }

  /// The selected choice; nil when nothing matches.
  public var selected: Choice<ID>? { selection.map { choices[ranking[$0].index] } }

  /// Why the last choice was refused, if it still would be.
  public var refusal: String? {
    refused.flatMap { id in choices.first { $0.id == id }?.refusal }
  }

  /// Takes the choices as they are now.
  ///
  /// If the selected one is not there any more, its nearest neighbour that still is there is
  /// selected.
  public mutating func update(_ choices: [Choice<ID>]) {
    let before = matching.map(\.id)
    self.choices = choices
    ranking = ChoiceMatch.ranking(of: choices, for: query)
    let places = Dictionary(
      zip(matching.map(\.id), ranking.indices), uniquingKeysWith: { first, _ in first })
    let kept = selection.flatMap { old in
      // From the selected one outward; of two at the same distance the one below.
      before.indices
        .sorted { (abs($0 - old), $1) < (abs($1 - old), $0) }
        .lazy.compactMap { places[before[$0]] }.first
    }
    select(kept ?? 0)
  }

  /// Selects what matches best, as after a key that changes the query: where the choices depend on
  /// what was typed, those of the new query are there only now.
  public mutating func selectBest() { select(0) }

  /// Says how many choices are in view at once. Less than 1 counts as 1.
  public mutating func resize(visibleCount: Int) {
    self.visibleCount = max(1, visibleCount)
    scroll()
  }

  /// Changes the query, and selects what matches best.
  mutating func search(_ query: String) -> Outcome {
    let query = String(query.prefix(Self.queryLimit))
    guard query != self.query else { return .unchanged }
    self.query = query
    filter()
    return .changed
  }

  /// Selects a place, the nearest that there is.
  mutating func select(_ place: Int) {
    selection = ranking.isEmpty ? nil : min(max(0, place), ranking.count - 1)
    scroll()
  }

  /// Makes the selected choice, if it can be made.
  mutating func choose() -> Outcome {
    guard let selected else { return .unchanged }
    guard let reason = selected.refusal else { return .chosen(selected.id) }
    refused = selected.id
    return .refused(selected.id, because: reason)
  }

  mutating func forgetRefusal() { refused = nil }

  private mutating func filter() {
    ranking = ChoiceMatch.ranking(of: choices, for: query)
    firstVisible = 0
    select(0)
  }

  /// Brings the selected choice into view, and leaves no room below the last one.
  private mutating func scroll() {
    firstVisible = min(firstVisible, max(0, ranking.count - visibleCount))
    guard let selection else { return }
    firstVisible = min(max(firstVisible, selection - visibleCount + 1), selection)
  }
}

extension ChoiceList: Sendable where ID: Sendable {}
extension ChoiceList.Outcome: Sendable where ID: Sendable {}
