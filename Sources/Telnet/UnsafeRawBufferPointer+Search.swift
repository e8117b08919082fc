extension UnsafeRawBufferPointer {
  /// The first position of one of two bytes; the count if there is none. It examines eight bytes at a time, because
  /// all data of a connection are searched.
  func firstPlace(of one: UInt8, _ other: UInt8, from start: Int) -> Int {
    let (ones, others) = (UInt64(repeating: one), UInt64(repeating: other))
    var place = start
    while place + 8 <= count {
      let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      if (word ^ ones).hasZeroByte || (word ^ others).hasZeroByte { break }
      place += 8
    }
    while place < count, self[place] != one, self[place] != other { place += 1 }
    return place
  }
}

extension UInt64 {
  fileprivate init(repeating byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Whether one of the eight bytes is 0.
  fileprivate var hasZeroByte: Bool {
    (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080 != 0
  }
}
