import Options

/// Bytes in hexadecimal: two digits each, with or without blanks between the bytes.
struct HexText {
  let bytes: [UInt8]

  /// Parses hexadecimal text.
  ///
  /// - Throws: `ValueError` that names the wrong word.
  init(_ text: String) throws(ValueError) {
    var bytes: [UInt8] = []
    for word in text.split(separator: " ") {
      let digits = Array(word.utf8)
      guard digits.count.isMultiple(of: 2) else {
        throw ValueError(String(word), expected: "two hexadecimal digits a byte")
      }
      for start in stride(from: 0, to: digits.count, by: 2) {
        let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
        guard pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else {
          throw ValueError("'\(pair)' is not a byte: expected two hexadecimal digits")
        }
        bytes.append(byte)
      }
    }
    self.bytes = bytes
  }

  /// Formats bytes as hexadecimal digits without blanks.
  static func digits(of bytes: UnsafeRawBufferPointer) -> String {
    bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
