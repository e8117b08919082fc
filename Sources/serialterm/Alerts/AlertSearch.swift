import Patterns
import TextStages

/// Searches the lines of a device for the expressions of alerts. A value.
///
/// A line is searched when it is complete or when the device pauses, so that the expressions see
/// the whole line. Each expression matches at most once per line. Escape sequences are not part
/// of a line.
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
  private var stripper = SequenceStripper()
  private var text: [UInt8] = []
  private var line: [UInt8] = []
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
    text.removeAll(keepingCapacity: true)
    stripper.strip(bytes, into: &text)
    var matches: [Match] = []
    for byte in text {
      if byte == 0x0A {
        matches += search()
        line.removeAll(keepingCapacity: true)
        found.removeAll(keepingCapacity: true)
      } else {
        if line.count >= Self.reach {
          matches += search()
          line.removeAll(keepingCapacity: true)
        }
        line.append(byte)
        isWaiting = true
      }
    }
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
    guard found.count < patterns.count else { return [] }
    let whole = String(decoding: line, as: UTF8.self)
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
