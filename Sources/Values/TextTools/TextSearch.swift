/// Finding, replacing and trimming text.
///
/// The bytes of UTF-8 are compared: a text is also found if a combining character follows it, and
/// "é" does not match "e" followed by an accent. The standard library's own functions for this are
/// in its module of regular expressions, which would then be linked.
extension StringProtocol where SubSequence == Substring {
  /// The range of the first occurrence of a text; for an empty text, the start.
  package func firstRange(ofText part: String) -> Range<Index>? {
    var rest = self[...].utf8
    while !rest.starts(with: part.utf8) {
      guard rest.popFirst() != nil else { return nil }
    }
    return rest.startIndex..<rest.index(rest.startIndex, offsetBy: part.utf8.count)
  }

  /// The text without white space at both ends.
  package var trimmed: Substring {
    let rest = drop(while: \.isWhitespace)
    return rest.dropLast(rest.reversed().prefix(while: \.isWhitespace).count)
  }

  /// Whether this text contains another one. Every text contains the empty text.
  package func contains(text part: String) -> Bool { firstRange(ofText: part) != nil }

  /// The pieces between the non-overlapping occurrences of a text. Some may be empty. An empty
  /// separator returns one piece.
  package func split(atText separator: String) -> [Substring] {
    var pieces: [Substring] = []
    var rest = self[...]
    while !separator.isEmpty, let place = rest.firstRange(ofText: separator) {
      pieces.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return pieces + [rest]
  }

  /// The text with every occurrence of another text replaced, from the start on. An empty text
  /// is never replaced.
  package func replacing(text part: String, with replacement: String) -> String {
    split(atText: part).joined(separator: replacement)
  }
}
