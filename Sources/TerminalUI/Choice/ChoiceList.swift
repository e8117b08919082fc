/// A list of choices that is filtered as the user types: the model of the command palette and of the
/// device chooser.
///
/// Without a query, the list starts at the present value (``Choice/isCurrent``): Enter alone changes
/// nothing. The choices may change while the list is open: the query stays, and the selection stays
/// with its choice while that is there.
public struct ChoiceList<ID: Hashable> {
  /// The effect of a key.
  public enum Outcome: Equatable {
    /// Nothing changed that is shown.
    case unchanged
    case changed
    /// The user chose it.
    case chosen(ID)
    /// It cannot be chosen now; the list stays open and shows the reason.
    case refused(ID, because: String)
    /// The user chose nothing.
    case cancelled
  }

  /// The length limit of a query, in Unicode scalars: one character can have any number of accents.
  public static var queryLimit: Int { 256 }

  /// All choices, also those that the query leaves out.
  public private(set) var choices: [Choice<ID>]
  /// What the user typed to filter by.
  public private(set) var query = ""
  /// The place of the selected choice in ``matching``; nil when nothing matches.
  public private(set) var selection: Int?
  /// The place in ``matching`` of the first visible choice.
  public private(set) var firstVisible = 0
  /// How many choices are visible at once, at least 1.
  public private(set) var visibleCount = 10
  /// The choice that was refused last, until the next key.
  public private(set) var refused: ID?

  var ranking: [(index: Int, match: ChoiceMatch)] = []
  /// The choices prepared for searching; empty until a query needs them.
  private var searchable: [SearchableChoice] = []

  /// Whether the query has changed since the last search.
  private(set) var isSearchDue = true
  /// The keys that select, since the query changed.
  private var moves: [Key] = []

  /// Creates a list; the present value is selected, or else the first choice.
  public init(_ choices: [Choice<ID>] = []) {
    self.choices = choices
    settle()
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

  /// Replaces the choices.
  ///
  /// If the selected one is gone, its nearest neighbour that is left is selected.
  public mutating func update(_ choices: [Choice<ID>]) {
    let isNew = choices != self.choices
    guard isNew || isSearchDue else { return }
    let before = isSearchDue ? [] : ranking.map { self.choices[$0.index].id }
    if isNew {
      self.choices = choices
      searchable = []
    }
    if isSearchDue { return settle() }
    rank()
    let places = Dictionary(
      zip(matching.map(\.id), ranking.indices), uniquingKeysWith: { first, _ in first })
    let kept = selection.flatMap { Self.nearest(to: $0, in: before, thatHasAPlaceIn: places) }
    if let kept { select(kept) } else { selectBest() }
  }

  /// Searches for the query, if ``take(_:)`` has left that to be done.
  public mutating func settle() {
    guard isSearchDue else { return }
    isSearchDue = false
    rank()
    firstVisible = 0
    selectBest()
    for key in moves { _ = obey(key) }
    moves = []
  }

  /// The new place of the choice nearest to an old place; of two at the same distance, the lower one.
  private static func nearest(
    to old: Int, in before: [ID], thatHasAPlaceIn places: [ID: Int]
  ) -> Int? {
    for distance in before.indices {
      for place in [old + distance, old - distance] where before.indices.contains(place) {
        if let kept = places[before[place]] { return kept }
      }
    }
    return nil
  }

  /// Selects the present value if there is no query, else the best match.
  private mutating func selectBest() {
    let current = query.isEmpty ? ranking.firstIndex { choices[$0.index].isCurrent } : nil
    select(current ?? 0)
  }

  /// Replaces the query; ``settle()`` or ``update(_:)`` searches for it.
  public mutating func replaceQuery(_ text: String) { _ = search(text) }

  /// Sets how many choices are visible at once. Less than 1 counts as 1.
  public mutating func resize(visibleCount: Int) {
    self.visibleCount = max(1, visibleCount)
    scroll()
  }

  /// Changes the query; the best match is selected when it is searched for.
  mutating func search(_ query: String) -> Outcome {
    let query = String(query.unicodeScalars.prefix(Self.queryLimit))
    guard query != self.query else { return .unchanged }
    self.query = query
    isSearchDue = true
    moves = []
    return .changed
  }

  /// Selects by a key, or keeps the key until the query was searched for.
  mutating func move(by key: Key, to place: (ChoiceList) -> Int?) -> Outcome {
    if isSearchDue {
      moves.append(key)
      return .changed
    }
    guard let place = place(self) else { return .unchanged }
    let before = selection
    select(place)
    return selection == before ? .unchanged : .changed
  }

  /// Selects a place, or the nearest one.
  mutating func select(_ place: Int) {
    selection = ranking.isEmpty ? nil : min(max(0, place), ranking.count - 1)
    scroll()
  }

  /// Chooses the selected choice if it is enabled.
  mutating func choose() -> Outcome {
    guard let selected else { return .unchanged }
    guard let reason = selected.refusal else { return .chosen(selected.id) }
    refused = selected.id
    return .refused(selected.id, because: reason)
  }

  mutating func forgetRefusal() { refused = nil }

  private mutating func rank() {
    let query = SearchQuery(query)
    guard !query.words.isEmpty else {
      ranking = choices.indices.map { ($0, .ofEmptyQuery) }
      return
    }
    if searchable.isEmpty { searchable = choices.map { SearchableChoice($0) } }
    ranking = ChoiceMatch.ranking(of: searchable, for: query)
  }

  /// Scrolls so that the selected choice is visible and no room is left below the last one.
  private mutating func scroll() {
    firstVisible = min(firstVisible, max(0, ranking.count - visibleCount))
    guard let selection else { return }
    firstVisible = min(max(firstVisible, selection - visibleCount + 1), selection)
  }
}

extension ChoiceList: Sendable where ID: Sendable {}
extension ChoiceList.Outcome: Sendable where ID: Sendable {}
