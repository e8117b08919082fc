/// A list of choices that is filtered as the user types: the model of the command palette and
/// the device chooser.
///
/// Without a query, the list selects the present value first (``Choice/isCurrent``), so Enter alone
/// changes nothing. The choices may change while the list is open. The query stays, and the
/// selection stays at its choice while that exists.
public struct ChoiceList<ID: Hashable> {
  /// The effect of a key.
  public enum Outcome: Equatable {
    /// The shown content has not changed.
    case unchanged
    case changed
    /// The user chose this.
    case chosen(ID)
    /// This cannot be chosen now. The list stays open and shows the reason.
    case refused(ID, because: String)
    /// The user chose nothing.
    case cancelled
  }

  /// The maximum length of a query in Unicode scalars, because one character can have any
  /// number of accents.
  public static var queryLimit: Int { 256 }

  /// All choices, including those that do not match the query.
  public private(set) var choices: [Choice<ID>]
  /// The text that the user typed as a filter.
  public private(set) var query = ""
  /// The index of the selected choice in ``matching``; nil if nothing matches.
  public private(set) var selection: Int?
  /// The index in ``matching`` of the first visible choice.
  public private(set) var firstVisible = 0
  /// The number of visible choices, at least 1.
  public private(set) var visibleCount = 10
  /// The choice that was refused by the last key.
  public private(set) var refused: ID?

  var ranking: [(index: Int, match: ChoiceMatch)] = []
  /// The choices prepared for searching; empty until a query needs them.
  private var searchable: [SearchableChoice] = []

  /// Whether the query has changed since the last search.
  private(set) var isSearchDue = true
  /// The selecting keys since the query changed.
  private var moves: [Key] = []

  /// Creates a list. It selects the present value, otherwise the first choice.
  public init(_ choices: [Choice<ID>] = []) {
    self.choices = choices
    settle()
  }

  /// The choices that match the query, the best first. For an empty query, all choices
  /// in their order.
  public var matching: [Choice<ID>] { ranking.map { choices[$0.index] } }

  /// The number of choices that match the query.
  public var matchCount: Int { ranking.count }

  /// The selected choice; nil if nothing matches.
  public var selected: Choice<ID>? { selection.map { choices[ranking[$0].index] } }

  /// The reason why the last choice was refused, if it would still be refused.
  public var refusal: String? {
    refused.flatMap { id in choices.first { $0.id == id }?.refusal }
  }

  /// Replaces the choices.
  ///
  /// If the selected one does not exist any more, the nearest remaining choice is selected.
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

  /// Searches for the query, if ``edit(_:)`` has not done that.
  public mutating func settle() {
    guard isSearchDue else { return }
    isSearchDue = false
    rank()
    firstVisible = 0
    selectBest()
    for key in moves { _ = obey(key) }
    moves = []
  }

  /// The new index of the choice that is nearest to an old index. If two have the same distance, it
  /// is the lower one.
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

  /// Selects the present value if there is no query; otherwise the best match.
  private mutating func selectBest() {
    let current = query.isEmpty ? ranking.firstIndex { choices[$0.index].isCurrent } : nil
    select(current ?? 0)
  }

  /// Replaces the query. ``settle()`` or ``update(_:)`` searches for it.
  public mutating func replaceQuery(_ text: String) { _ = search(text) }

  /// Sets the number of visible choices. A number below 1 counts as 1.
  public mutating func resize(visibleCount: Int) {
    self.visibleCount = max(1, visibleCount)
    scroll()
  }

  /// Changes the query. The search then selects the best match.
  private mutating func search(_ query: String) -> Outcome {
    let query = String(query.unicodeScalars.prefix(Self.queryLimit))
    guard query != self.query else { return .unchanged }
    self.query = query
    isSearchDue = true
    moves = []
    return .changed
  }

  /// Selects by a key, or keeps the key until the query was searched for.
  private mutating func move(by key: Key, to place: (ChoiceList) -> Int?) -> Outcome {
    if isSearchDue {
      moves.append(key)
      return .changed
    }
    guard let place = place(self) else { return .unchanged }
    let before = selection
    select(place)
    return selection == before ? .unchanged : .changed
  }

  /// Selects an index, or the nearest one.
  mutating func select(_ place: Int) {
    selection = ranking.isEmpty ? nil : min(max(0, place), ranking.count - 1)
    scroll()
  }

  /// Chooses the selected choice if it is available.
  private mutating func choose() -> Outcome {
    guard let selected else { return .unchanged }
    guard let reason = selected.refusal else { return .chosen(selected.id) }
    refused = selected.id
    return .refused(selected.id, because: reason)
  }

  private mutating func forgetRefusal() { refused = nil }

  private mutating func rank() {
    let query = SearchQuery(query)
    guard !query.words.isEmpty else {
      ranking = choices.indices.map { ($0, .ofEmptyQuery) }
      return
    }
    if searchable.isEmpty { searchable = choices.map { SearchableChoice($0) } }
    ranking = ChoiceMatch.ranking(of: searchable, for: query)
  }

  /// Scrolls so that the selected choice is visible, and no space is left below the last one.
  private mutating func scroll() {
    firstVisible = min(firstVisible, max(0, ranking.count - visibleCount))
    guard let selection else { return }
    firstVisible = min(max(firstVisible, selection - visibleCount + 1), selection)
  }
}

extension ChoiceList: Sendable where ID: Sendable {}
extension ChoiceList.Outcome: Sendable where ID: Sendable {}

extension ChoiceList {
  /// Handles a key.
  ///
  /// Characters extend the query. Backspace deletes the last one, ctrl-w the last word, ctrl-u the
  /// whole query. The arrows, ctrl-p and ctrl-n, tab and shift-tab select, and wrap around at the
  /// ends. Page up and down, home and end select without wrapping. Enter chooses; escape, ctrl-c
  /// and ctrl-g cancel.
  public mutating func handle(_ key: Key) -> Outcome {
    let outcome = edit(key)
    settle()
    return outcome
  }

  /// Handles a key, but leaves the search for a changed query to ``settle()``: one search is enough
  /// for many keys. Enter searches immediately.
  public mutating func edit(_ key: Key) -> Outcome {
    let hadRefusal = refused != nil
    forgetRefusal()
    let outcome = obey(key)
    return outcome == .unchanged && hadRefusal ? .changed : outcome
  }

  private mutating func obey(_ key: Key) -> Outcome {
    switch key {
    case .character(let scalar):
      return search(query + String(scalar))
    case .paste(let bytes):
      return search(query + Self.queryText(of: bytes))
    case .named(let name, let modifiers):
      return obey(name, modifiers)
    case .control("p"):
      return step(by: -1, key)
    case .control("n"):
      return step(by: 1, key)
    case .control("u"):
      return search("")
    case .control("w"):
      return search(query.droppingLastWord)
    case .control("c"), .control("g"):
      return .cancelled
    case .control, .alt:
      return .unchanged
    }
  }

  private mutating func obey(_ name: Key.Name, _ modifiers: Key.Modifiers) -> Outcome {
    let key = Key.named(name, modifiers)
    switch name {
    case .enter:
      settle()
      return choose()
    case .escape: return .cancelled
    case .backspace: return search(String(query.dropLast()))
    case .up: return step(by: -1, key)
    case .down: return step(by: 1, key)
    case .tab: return step(by: modifiers.contains(.shift) ? -1 : 1, key)
    case .pageUp: return move(by: key) { ($0.selection ?? 0) - $0.visibleCount }
    case .pageDown: return move(by: key) { ($0.selection ?? 0) + $0.visibleCount }
    case .home: return move(by: key) { _ in 0 }
    case .end: return move(by: key) { $0.matchCount - 1 }
    case .left, .right, .insert, .delete: return .unchanged
    }
  }

  /// Selects a neighbour. The first choice follows the last one.
  private mutating func step(by distance: Int, _ key: Key) -> Outcome {
    move(by: key) { list in
      list.selection.map { ($0 + distance + list.matchCount) % list.matchCount }
    }
  }

  /// The part of a paste that can extend a query: its first line, without control characters.
  private static func queryText(of bytes: [UInt8]) -> String {
    let line = bytes.prefix { !"\r\n".utf8.contains($0) }
    return String(decoding: line, as: UTF8.self)
      .filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
  }
}

extension String {
  /// The text without its last word and the spaces after it.
  fileprivate var droppingLastWord: String {
    let words = reversed().drop { $0 == " " }.drop { $0 != " " }
    return String(words.reversed())
  }
}
