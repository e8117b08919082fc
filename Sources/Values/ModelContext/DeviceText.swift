import TextTools

/// Bytes of a device as text that cannot control a terminal, nor hide anything from a reader.
///
/// Line feeds, CR LF and tabs stay. Other control characters, characters that are not shown as
/// themselves and bytes that are not UTF-8 become `\xHH` or `\u{H}`, and a backslash `\\`.
package struct DeviceText: Hashable, Sendable {
  package let text: String
  /// Whether the text in UTF-8 is exactly the bytes.
  package let isExact: Bool

  package init(_ bytes: UnsafeRawBufferPointer) {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var isExact = true
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x0A, 0x09, 0x20..<0x5C, 0x5D..<0x7F: output.append(byte)
      case UInt8(ascii: "\r")
      where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n"): output.append(byte)
      case UInt8(ascii: "\r"):
        output += "\\r".utf8
        isExact = false
      case UInt8(ascii: "\\"):
        output += "\\\\".utf8
        isExact = false
      case 0x80...:
        if let scalar = UTF8Character.scalar(in: bytes, at: index) {
          if scalar.isShownAsItself {
            output += String(scalar).utf8
          } else {
            output += "\\u{\(String(scalar.value, radix: 16))}".utf8
            isExact = false
          }
          index += UTF8.width(scalar)
          continue
        }
        Self.append(byte, to: &output)
        isExact = false
      default:
        Self.append(byte, to: &output)
        isExact = false
      }
      index += 1
    }
    text = String(decoding: output, as: UTF8.self)
    self.isExact = isExact
  }

  private static func append(_ byte: UInt8, to output: inout [UInt8]) {
    let digits = String(byte, radix: 16)
    output += "\\x".utf8
    if digits.utf8.count == 1 { output.append(UInt8(ascii: "0")) }
    output += digits.utf8
  }

  /// The text with a mark before each line, so that nothing in it can be taken for the reader's
  /// own lines.
  package var quoted: String {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
      "| " + String($0.last == "\r" ? $0.dropLast() : $0)
    }
    if lines.last == "| " { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}
