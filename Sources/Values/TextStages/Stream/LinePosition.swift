/// Where in a line a text for the screen ends.
///
/// CR LF, LF CR and CR CR LF are one line end, and a CR in an empty line does nothing.
enum LinePosition: Hashable {
  /// In an empty line.
  case start
  /// In an empty line, after a CR.
  case startReturned
  /// In a line that is not empty.
  case inLine
  /// At the beginning of a line that is not empty: an LF ends it, what else comes overwrites it.
  case returned

  /// Whether the line is empty.
  var isEmpty: Bool { self == .start || self == .startReturned }

  /// Whether a part is the beginning of a line end: an LF, or the first CR of a line.
  func isEnded(by part: ScreenPart) -> Bool {
    switch part.kind {
    case .lineFeed: self != .returned
    case .carriageReturn: self == .inLine
    default: false
    }
  }

  /// Moves over a part of the text.
  mutating func advance(over part: ScreenPart) {
    switch part.kind {
    case .lineFeed: self = .start
    case .carriageReturn: self = isEmpty ? .startReturned : .returned
    default: self = .inLine
    }
  }
}
