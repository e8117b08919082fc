/// The base64 encoding; see RFC 4648, section 4.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The value of each letter; `none` for other characters.
  private static let values = {
    var values = [UInt8](repeating: none, count: 256)
    for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }()
  private static let none: UInt8 = 0xFF

  /// Appends the encoding of bytes.
  package static func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    var index = 0
    while index < bytes.count {
      let count = min(bytes.count - index, 3)
      var group: UInt32 = 0
      for place in 0..<3 {
        group = group << 8 | (place < count ? UInt32(bytes[index + place]) : 0)
      }
      for place in 0..<4 {
        let value = group >> (18 - 6 * UInt32(place)) & 0x3F
        output.append(place <= count ? alphabet[Int(value)] : padding)
      }
      index += 3
    }
  }

  /// The encoding of bytes as a text.
  package static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    bytes.withUnsafeBytes { append($0, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text.
  ///
  /// - Returns: nil if the text is not valid base64, including its padding.
  package static func bytes(parsing text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (group, letters, paddings) = (0 as UInt32, 0, 0)
    for letter in text {
      let value = values[Int(letter)]
      if letter == padding {
        paddings += 1
      } else if value == none || paddings > 0 {
        return nil
      }
      group = group << 6 | UInt32(letter == padding ? 0 : value)
      letters += 1
      guard letters % 4 == 0 else { continue }
      guard paddings <= 2 else { return nil }
      for place in 0..<(3 - paddings) {
        bytes.append(UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32(place))))
      }
      group = 0
    }
    return letters % 4 == 0 ? bytes : nil
  }
}
