extension Unicode.Scalar {
  /// The scalar as it can be shown without a terminal obeying it: control characters as `^C`, what
  /// turns the direction of text or breaks a line as U+FFFD.
  public var visibleForm: String {
    switch properties.generalCategory {
    case .control:
      value < 0x20 || value == 0x7F ? "^\(Unicode.Scalar(UInt8(value) ^ 0x40))" : "\u{FFFD}"
    case .lineSeparator, .paragraphSeparator:
      "\u{FFFD}"
    case .format:
      // The joiners and tags that emoji are made with stay.
      [0xAD, 0x200C, 0x200D].contains(value) || (0xE0020...0xE007F).contains(value)
        ? String(self) : "\u{FFFD}"
    default:
      String(self)
    }
  }
}

extension StringProtocol {
  /// The text as it can be shown without a terminal obeying what is in it.
  ///
  /// Names of devices, and what is pasted, may contain anything.
  public var visibleForm: String {
    guard unicodeScalars.contains(where: { !(0x20..<0x7F).contains($0.value) }) else {
      return String(self)
    }
    return unicodeScalars.reduce(into: "") { $0 += $1.visibleForm }
  }
}
