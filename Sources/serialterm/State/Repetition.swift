import TextTools
import Time

/// A text that is sent at intervals, as the state shows it.
struct Repetition: Hashable, CustomStringConvertible {
  /// The text as it was typed.
  let text: String
  let interval: Duration
  /// The number of times in total; nil for no end.
  let count: Int64?
  /// The number of times that it was sent.
  var doneCount: Int64 = 0

  /// The text with its interval and progress: `"status" every 1 s, 12`, `"status" every 1 s,
  /// 12 of 20`.
  var description: String { "\(order), \(doneCount)" + (count.map { " of \($0)" } ?? "") }

  /// Whether another one differs from it in the count at most.
  func isSame(as other: Repetition) -> Bool {
    var other = other
    other.doneCount = doneCount
    return self == other
  }

  /// The text with its interval.
  var order: String { "\(shownText) every \(interval.inSeconds) s" }

  /// The text in quotation marks, shortened, and without characters that control a terminal.
  var shownText: String { "\"\(text.shortened(to: 20).harmless)\"" }
}
