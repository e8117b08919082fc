/// Finds text that can be shown unchanged, quickly.
public enum PlainText {
  /// The end of the plain text that begins at a position: text, and the control characters
  /// of simple printing.
  ///
  /// An incomplete character ends it too.
  static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while true {
      index = printableEnd(in: bytes, from: index)
      guard index < bytes.count else { return index }
      if isPlain(control: bytes[index]) {
        // Control characters come in pairs: CR and LF.
        repeat { index += 1 } while index < bytes.count && isPlain(control: bytes[index])
      } else {
        let next = characterEnd(in: bytes, from: index)
        guard next > index else { return index }
        index = next
      }
    }
  }

  /// The end of the printable characters that begin at a position. An incomplete character ends
  /// them too.
  ///
  /// - Parameter isUTF8: whether bytes above 7F are UTF-8; otherwise they are not text.
  static func textEnd(in bytes: UnsafeRawBufferPointer, from start: Int, isUTF8: Bool) -> Int {
    var index = printableEnd(in: bytes, from: start)
    while isUTF8, index < bytes.count, bytes[index] >= 0x80 {
      let next = characterEnd(in: bytes, from: index)
      guard next > index else { return index }
      index = printableEnd(in: bytes, from: next)
    }
    return index
  }

  /// The end of the ASCII plain text that begins at a position.
  static func asciiEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = printableEnd(in: bytes, from: start)
    while index < bytes.count, isPlain(control: bytes[index]) {
      index = printableEnd(in: bytes, from: index + 1)
    }
    return index
  }

  /// Whether a control character passes. BEL does: a flood of it is a nuisance, but every terminal
  /// can be made silent.
  static func isPlain(control byte: UInt8) -> Bool {
    switch byte {
    case .bell, .backspace, .tab, .lineFeed, .carriageReturn: true
    default: false
    }
  }

  /// The end of printable ASCII. Thirty-two bytes are examined at a time, then eight.
  public static func printableEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let base = bytes.baseAddress else { return start }
    var index = start
    while bytes.count - index >= 32 {
      let marks =
        (marks(at: base + index) | marks(at: base + index + 8))
        | (marks(at: base + index + 16) | marks(at: base + index + 24))
      if marks & highBits != 0 { break }
      index += 32
    }
    while bytes.count - index >= 8 {
      let found = marks(at: base + index) & highBits
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count, bytes[index].isPrintable { index += 1 }
    return index
  }

  /// Whether all bytes are ASCII, including control characters.
  public static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    var index = 0
    while bytes.count - index >= 32 {
      let word =
        (word(at: base + index) | word(at: base + index + 8))
        | (word(at: base + index + 16) | word(at: base + index + 24))
      if word & highBits != 0 { return false }
      index += 32
    }
    return bytes[index...].allSatisfy { $0 < 0x80 }
  }

  /// The position of a byte; nil if it is not there. Thirty-two bytes are examined at a time, then
  /// eight.
  static func index(
    of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let pattern = UInt64(byte) &* ones
    // The high bit of the first byte that is equal is set, and none before it.
    func marks(at index: Int) -> UInt64 {
      let word = UInt64(littleEndian: word(at: base + index)) ^ pattern
      return (word &- ones) & ~word & highBits
    }
    var index = start
    while end - index >= 32 {
      if (marks(at: index) | marks(at: index + 8)) | (marks(at: index + 16) | marks(at: index + 24))
        != 0
      {
        break
      }
      index += 32
    }
    while end - index >= 8 {
      let found = marks(at: index)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    return bytes[min(index, end)..<end].firstIndex(of: byte)
  }

  private static func word(at place: UnsafeRawPointer) -> UInt64 {
    place.loadUnaligned(as: UInt64.self)
  }

  private static let highBits: UInt64 = 0x8080_8080_8080_8080
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Eight bytes, of which the high bit is set in each that is not printable: it is below 0x20 (by
  /// the borrow), above 0x7F (it already was), or 0x7F (by the sum). Borrow and carry only reach
  /// bytes after one that is already marked.
  private static func marks(at place: UnsafeRawPointer) -> UInt64 {
    let word = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
    return (word &- 0x2020_2020_2020_2020) | word | (word &+ ones)
  }

  /// The number of bytes of whole characters at the beginning of a text.
  static func wholeCharacters(of text: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    guard text.count > limit else { return text.count }
    var count = limit
    while count > 0, text[count] & 0xC0 == 0x80 { count -= 1 }
    return count
  }

  /// The end of the multi-byte character that begins at a position; the position itself if
  /// there is none.
  private static func characterEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard var character = UTF8Character(first: bytes[start]) else { return start }
    var index = start + 1
    while !character.isComplete {
      guard index < bytes.count, character.append(bytes[index]) else { return start }
      index += 1
    }
    return character.isText ? index : start
  }
}
