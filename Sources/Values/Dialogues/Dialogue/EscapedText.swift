/// The escapes of a text, in scripts and in `send --escapes`: `\r \n \t \e \0 \\ \" \$` and `\xHH`.
public enum EscapedText {
  /// Replaces the escapes of a text.
  ///
  /// - Throws: ``Mistake``.
  public static func bytes(of text: String) throws(Mistake) -> [UInt8] {
    var rest = text.unicodeScalars[...]
    var bytes: [UInt8] = []
    while let scalar = rest.popFirst() {
      if scalar == "\\" {
        bytes.append(try byte(afterBackslash: &rest))
      } else {
        bytes += Array(String(scalar).utf8)
      }
    }
    return bytes
  }

  /// Parses the rest of an escape after its backslash.
  static func byte(
    afterBackslash rest: inout Substring.UnicodeScalarView
  ) throws(Mistake) -> UInt8 {
    switch rest.popFirst() {
    case "r": return UInt8(ascii: "\r")
    case "n": return UInt8(ascii: "\n")
    case "t": return UInt8(ascii: "\t")
    case "e": return 0x1B
    case "0": return 0x00
    case "\\": return UInt8(ascii: "\\")
    case "\"": return UInt8(ascii: "\"")
    case "$": return UInt8(ascii: "$")
    case "x":
      let digits = String(String.UnicodeScalarView(rest.prefix(2)))
      guard digits.utf8.count == 2, digits.utf8.allSatisfy({ Character(.init($0)).isHexDigit }),
        let byte = UInt8(digits, radix: 16)
      else { throw Mistake(description: #"expected two hexadecimal digits after '\x'"#) }
      rest.removeFirst(2)
      return byte
    case let other:
      let shown = other.map { String($0) } ?? ""
      throw Mistake(
        description: #"'\\#(shown)' is not an escape: expected \r \n \t \e \0 \\ \" \$ or \xHH"#)
    }
  }

  /// Why a text cannot be parsed.
  public struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }
}
