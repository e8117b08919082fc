extension Unicode.Scalar {
  /// Whether the scalar is shown as itself: it is neither a control character, which a terminal
  /// obeys, nor a format character, which is invisible or turns the direction of the text around it
  /// (U+202E), nor a line or paragraph separator.
  package var isShownAsItself: Bool {
    // ASCII, and the controls of ISO 8859-1, without a look at Unicode's tables.
    if value < 0xA0 { return (0x20..<0x7F).contains(value) }
    switch properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}
