import TextTools

/// Bytes of a device as text that cannot control a terminal, nor hide anything from a reader.
///
/// Line feeds, CR LF and tabs stay. Other control characters, characters that are not shown as
/// themselves and bytes that are not UTF-8 become `\xHH` or `\u{H}`, and a backslash `\\`.
package struct DeviceText: Hashable, Sendable {
  package let text: String
  /// Whether the text in UTF-8 is exactly the bytes.
  package let isExact: Bool
  /// The number of bytes in the text: all, or as many as fit.
  package let byteCount: Int
  /// The size of an answer with the text, ``quoted`` and, unless the text is exact, the bytes as
  /// Base64, in bytes of JSON.
  package let answerSize: Int

  /// - Parameter limit: the largest ``answerSize``. What does not fit is left out at the end.
  package init(_ bytes: UnsafeRawBufferPointer, fitting limit: Int = .max) {
    var output: [UInt8] = []
    output.reserveCapacity(min(bytes.count, limit))
    var (index, isExact, jsonSize, answerSize) = (0, true, 0, 0)
    while index < bytes.count {
      let start = output.count
      let (width, isItself) = Self.append(bytes, at: index, to: &output)
      let staysExact = isExact && isItself
      let nextSize = jsonSize + output[start...].reduce(0) { $0 + Self.jsonSize(of: $1) }
      let base64Size = staysExact ? 0 : (index + width + 2) / 3 * 4
      guard 2 * nextSize + base64Size <= limit else {
        output.removeLast(output.count - start)
        break
      }
      (index, isExact, jsonSize) = (index + width, staysExact, nextSize)
      answerSize = 2 * nextSize + base64Size
    }
    text = String(decoding: output, as: UTF8.self)
    (self.isExact, byteCount, self.answerSize) = (isExact, index, answerSize)
  }

  /// Adds the text of a byte, or of a character of several.
  ///
  /// - Returns: how many bytes it stands for, and whether it is exactly these.
  private static func append(
    _ bytes: UnsafeRawBufferPointer, at index: Int, to output: inout [UInt8]
  ) -> (width: Int, isExact: Bool) {
    let byte = bytes[index]
    switch byte {
    case 0x0A, 0x09, 0x20..<0x5C, 0x5D..<0x7F:
      output.append(byte)
      return (1, true)
    case UInt8(ascii: "\r")
    where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n"):
      output.append(byte)
      return (1, true)
    case UInt8(ascii: "\r"): output += "\\r".utf8
    case UInt8(ascii: "\\"): output += "\\\\".utf8
    case 0x80...:
      guard let scalar = UTF8Character.scalar(in: bytes, at: index) else {
        append(byte, to: &output)
        break
      }
      if scalar.isShownAsItself {
        output += String(scalar).utf8
      } else {
        output += "\\u{\(String(scalar.value, radix: 16))}".utf8
      }
      return (UTF8.width(scalar), scalar.isShownAsItself)
    default: append(byte, to: &output)
    }
    return (1, false)
  }

  /// The number of bytes of JSON for a byte of the text: the mean of the text and of ``quoted``,
  /// which has a mark for each line.
  private static func jsonSize(of byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\n"): 3
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): 2
    default: 1
    }
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
