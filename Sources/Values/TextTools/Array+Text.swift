extension StaticString {
  /// The characters of a literal, in UTF-8.
  @inlinable package var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

extension [String] {
  /// The texts as an enumeration, with a word before the last one: `cr, lf or crlf`.
  package func joined(lastBy word: String) -> String {
    guard count > 1, let last else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) \(word) \(last)"
  }
}

extension [UInt8] {
  /// Appends the characters of a literal.
  @inlinable package mutating func append(_ text: StaticString) {
    append(contentsOf: text.bytes)
  }

  /// Appends the characters of a text.
  @_disfavoredOverload @inlinable
  package mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// Appends a part of a piece as one block.
  @inlinable package mutating func append(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
    append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  /// Appends a decimal number with padding on the left.
  package mutating func append(
    decimal number: UInt64, width: Int = 1, padding: UInt8 = UInt8(ascii: "0")
  ) {
    var (place, digits) = (1 as UInt64, 1)
    while number / place >= 10 { (place, digits) = (place * 10, digits + 1) }
    append(contentsOf: repeatElement(padding, count: Swift.max(width - digits, 0)))
    while place > 0 {
      append(UInt8(ascii: "0") + UInt8(number / place % 10))
      place /= 10
    }
  }

  /// Appends a hexadecimal number with a fixed number of digits, in lower case.
  package mutating func append(hex number: UInt64, digits: Int) {
    for place in (0..<digits).reversed() {
      let digit = UInt8(truncatingIfNeeded: number >> (4 * UInt64(place))) & 0xF
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  /// Appends a mark for a character that is not shown: its code point in angle brackets, `<9b>`.
  package mutating func append(markOf codePoint: UInt32) {
    append(UInt8(ascii: "<"))
    let digits = (8 - codePoint.leadingZeroBitCount / 4)
    append(hex: UInt64(codePoint), digits: digits > 2 ? Swift.max(4, digits) : 2)
    append(UInt8(ascii: ">"))
  }

  /// Appends a number with the lowest byte first.
  @inlinable package mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
