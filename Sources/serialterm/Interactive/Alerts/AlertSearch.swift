import Patterns
import TextStages

/// Searches the lines of a device for the expressions of alerts. A value.
///
/// A line is searched when it is complete, when a CR returns to its beginning, and when the device
/// pauses, so that the expressions see the whole line. Each expression matches at most once per
/// line. A line is what a screen has of it; see ``TextStages/LineReader``.
struct AlertSearch {
  /// A match.
  struct Match: Hashable {
    /// The index of the expression.
    let index: Int
    /// The text that matches.
    let text: String
    /// The line so far.
    let line: String
  }

  /// The maximum length that is searched at once, in bytes. A longer line is searched in parts.
  static let reach = 1_024
  /// The maximum numbers of steps: for a piece, for each of its bytes, and in total. Text takes
  /// about ten per byte.
  private static let budgets = (piece: 200_000, byte: 200, most: 4_000_000)

  private let patterns: [Pattern]
  private var reader = LineReader(limit: reach)
  /// The expressions that have matched in the line.
  private var found: Set<Int> = []
  /// Whether the line has bytes that were not searched.
  private(set) var isWaiting = false
  /// Whether lines were searched only in part, because the expressions take too long.
  private(set) var isOverBudget = false
  private var budget = 0

  init(_ patterns: [Pattern]) { self.patterns = patterns }

  /// Adds received bytes.
  ///
  /// - Returns: the matches in the lines that are now complete.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [Match] {
    budget = min(Self.budgets.piece + Self.budgets.byte * bytes.count, Self.budgets.most)
    var matches: [Match] = []
    var (index, end) = (0, 0)
    while let event = reader.next(in: bytes, from: &index) {
      // A CR and the LF after it bring no text.
      isWaiting = isWaiting || index - end > 1
      end = index
      matches += search()
      if event == .ended { found.removeAll(keepingCapacity: true) }
    }
    isWaiting = !reader.isEmpty && (isWaiting || end < bytes.count)
    return matches
  }

  /// Handles a pause or the loss of the device.
  ///
  /// - Returns: the matches in the line so far.
  mutating func pause() -> [Match] {
    budget = Self.budgets.piece
    return search()
  }

  private mutating func search() -> [Match] {
    guard isWaiting else { return [] }
    isWaiting = false
    guard !reader.isEmpty, found.count < patterns.count else { return [] }
    let whole = reader.text
    let scalars = whole.unicodeScalars.map(\.value)
    var matches: [Match] = []
    for (index, pattern) in patterns.enumerated() where !found.contains(index) {
      let ranges = pattern.matches(in: scalars, budget: &budget)
      if budget <= 0 { isOverBudget = true }
      guard let range = ranges.first else { continue }
      found.insert(index)
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[range].lazy.compactMap(Unicode.Scalar.init))
      matches.append(Match(index: index, text: String(text), line: whole))
    }
    return matches
  }
}
