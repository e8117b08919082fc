extension [UInt8] {
  /// Appends the characters of a text.
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// Appends a decimal number, padded with zeros to a width.
  mutating func append(decimal number: UInt64, width: Int = 1) {
    var (place, digits) = (1 as UInt64, 1)
    while number / place >= 10 { (place, digits) = (place * 10, digits + 1) }
    append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(width - digits, 0)))
    while place > 0 {
      append(UInt8(ascii: "0") + UInt8(number / place % 10))
      place /= 10
    }
  }

  /// Appends a number with the lowest byte first.
  mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
