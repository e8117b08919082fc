/// Finding and replacing a text in a text.
///
/// The bytes of UTF-8 are compared: a text is also found where a combining character follows it, and "é" is
/// not found where it is written as "e" and an accent. The standard library's own functions for this are
/// in its module of regular expressions, which would be linked for them.
extension StringProtocol where SubSequence == Substring {
  /// The first place of a text; for an empty text, the start.
  package func firstRange(ofText part: String) -> Range<Index>? {
    var rest = self[...].utf8
    while !rest.starts(with: part.utf8) {
      guard rest.popFirst() != nil else { return nil }
    }
    return rest.startIndex..<rest.index(rest.startIndex, offsetBy: part.utf8.count)
  }

  /// Whether a text is part of this one. An empty text is part of every text.
  package func contains(text part: String) -> Bool { firstRange(ofText: part) != nil }

  /// The pieces between the places of a text, which do not overlap; some may be empty. Splitting at an
  /// empty text returns one piece.
  package func split(atText separator: String) -> [Substring] {
    var pieces: [Substring] = []
    var rest = self[...]
    while !separator.isEmpty, let place = rest.firstRange(ofText: separator) {
      pieces.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return pieces + [rest]
  }

  /// The text with another one at every place of a text, from the start on. Nothing is replaced at the
  /// places of an empty text.
  package func replacing(text part: String, with replacement: String) -> String {
    split(atText: part).joined(separator: replacement)
  }
}
