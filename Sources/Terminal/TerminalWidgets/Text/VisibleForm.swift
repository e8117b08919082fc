internal import TextTools

extension Unicode.Scalar {
  /// The scalar in a form that can be shown while it is typed: control characters as `^C`, other
  /// invisible characters as U+FFFD. The joiners and tags inside of emoji stay.
  public var visibleForm: String {
    if isShownAsItself { return String(self) }
    if value < 0x20 || value == 0x7F { return "^\(Unicode.Scalar(UInt8(value) ^ 0x40))" }
    let isPartOfEmoji =
      [0xAD, 0x200C, 0x200D].contains(value) || (0xE0020...0xE007F).contains(value)
    return isPartOfEmoji ? String(self) : "\u{FFFD}"
  }
}

extension StringProtocol {
  /// The text in a form that can be shown while it is typed;
  /// see ``Swift/Unicode/Scalar/visibleForm``.
  public var visibleForm: String {
    guard unicodeScalars.contains(where: { !(0x20..<0x7F).contains($0.value) }) else {
      return String(self)
    }
    return unicodeScalars.reduce(into: "") { $0 += $1.visibleForm }
  }
}
