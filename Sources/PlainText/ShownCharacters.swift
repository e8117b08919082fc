extension Unicode.Scalar {
  /// Whether the scalar is shown as it is. It is not if it is a control character, which controls a terminal, a
  /// format character, which is invisible or changes the direction of the text around it (U+202E), or a line or
  /// paragraph separator.
  package var isShownAsItself: Bool {
    // ASCII and the controls of ISO 8859-1 need no lookup in Unicode's tables.
    if value < 0xA0 { return (0x20..<0x7F).contains(value) }
    switch properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}
