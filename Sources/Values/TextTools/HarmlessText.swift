/// Text from outside, made safe to show: the name of a device, of a file or of another process, an
/// argument, or a message from a client of the control socket.
///
/// All such text passes ``Swift/String/harmless`` before it is shown.
extension String {
  /// The text in one line. U+FFFD replaces every character that controls a terminal or reorders the
  /// line: control characters, bidirectional and other format characters, line ends.
  package var harmless: String { replacing { _ in false } }

  /// The same, but tabs stay: for a line that a device has sent.
  package var harmlessLine: String { replacing { $0 == "\t" } }

  /// The same for a text of several lines, in which tabs stay. Each line is shortened to a readable
  /// length: an error must not repeat 100 kB of a broken file.
  package var harmlessLines: String {
    replacing { $0 == "\n" || $0 == "\t" }.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.shortened(to: 600) }.joined(separator: "\n")
  }

  private func replacing(except isKept: (Unicode.Scalar) -> Bool) -> String {
    // Most text is printable ASCII.
    guard utf8.contains(where: { !(0x20..<0x7F).contains($0) }) else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      text.append(scalar.isShownAsItself || isKept(scalar) ? scalar : "\u{FFFD}")
    }
    return String(text)
  }

  /// The text as one word of a shell's command line, for commands that the user will copy. It is
  /// quoted only if necessary.
  ///
  /// Characters that must not be shown are written as octal escapes, `$'\033'`, which bash(1),
  /// zsh(1) and POSIX.1-2024 support.
  package var shellWord: String {
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+:,@%=".utf8.contains(byte)
      }
    }
    if isPlain && !isEmpty { return self }
    guard unicodeScalars.allSatisfy(\.isShownAsItself) else {
      return "$'" + unicodeScalars.map(\.shellEscape).joined() + "'"
    }
    return "'" + replacing(text: "'", with: #"'\''"#) + "'"
  }
}

extension Substring {
  /// The text without its middle, if it has more Unicode scalars than the limit. A character can
  /// have any number of them.
  fileprivate func shortened(to limit: Int) -> String {
    let (scalars, tail) = (unicodeScalars, limit / 4)
    let rest = utf8.count > limit ? scalars.count - limit : 0
    guard rest > 0 else { return String(self) }
    return String(scalars.prefix(limit - tail)) + "[\(rest) characters]"
      + String(scalars.suffix(tail))
  }
}

extension Unicode.Scalar {
  /// The scalar in the form for quotes `$'…'`.
  fileprivate var shellEscape: String {
    if self == "'" || self == "\\" { return "\\\(self)" }
    guard !isShownAsItself else { return String(self) }
    return String(self).utf8.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is shown as it is. It is not if it is a control character, which controls a
  /// terminal, a format character, which is invisible or changes the direction of the text around
  /// it (U+202E), or a line or paragraph separator.
  package var isShownAsItself: Bool {
    // ASCII and the controls of ISO 8859-1 need no lookup in Unicode's tables.
    if value < 0xA0 { return (0x20..<0x7F).contains(value) }
    switch properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}
