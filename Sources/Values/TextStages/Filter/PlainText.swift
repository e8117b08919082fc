import TextTools

/// Finds text that can be shown unchanged, quickly.
public enum PlainText {
  /// The end of the plain text that begins at a position: text, and the control characters
  /// of simple printing.
  ///
  /// An incomplete character ends it too.
  ///
  /// - Parameter isUTF8: whether bytes above 7F are UTF-8; otherwise they are not text.
  static func end(
    in bytes: UnsafeRawBufferPointer, from start: Int, isUTF8: Bool = true
  ) -> Int {
    let lineFeed = Block(repeating: .lineFeed)
    let carriageReturn = Block(repeating: .carriageReturn)
    var index = start
    while true {
      index = first(in: bytes, from: index, to: bytes.count) {
        unprintable($0) .& ($0 .!= lineFeed) .& ($0 .!= carriageReturn)
      }
      guard index < bytes.count else { return index }
      if isPlain(control: bytes[index]) {
        index += 1
      } else {
        let next = isUTF8 ? charactersEnd(in: bytes, from: index) : index
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
    while isUTF8 {
      let next = charactersEnd(in: bytes, from: index)
      guard next > index else { return index }
      index = printableEnd(in: bytes, from: next)
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

  /// The end of printable ASCII.
  public static func printableEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    first(in: bytes, from: start, to: bytes.count) { unprintable($0) }
  }

  /// Whether all bytes are ASCII, including control characters.
  public static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let beyond = Block(repeating: 0x80)
    return first(in: bytes, from: 0, to: bytes.count) { $0 .>= beyond } == bytes.count
  }

  /// The position of a byte; nil if it is not there.
  static func index(
    of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> Int? {
    let sought = Block(repeating: byte)
    let index = first(in: bytes, from: start, to: end) { $0 .== sought }
    return index < end ? index : nil
  }

  /// Sixteen bytes, which are examined at a time. Both sides of an operator are blocks: a single
  /// number beside one would be compared in a loop.
  private typealias Block = SIMD16<UInt8>

  @inline(__always)
  private static func unprintable(_ block: Block) -> SIMDMask<SIMD16<Int8>> {
    block &- Block(repeating: 0x20) .>= Block(repeating: 0x7F - 0x20)
  }

  /// The position of the first byte with a property; `end` if there is none. Four blocks are
  /// examined at a time, then one.
  @inline(__always)
  private static func first(
    in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int,
    where marks: (Block) -> SIMDMask<SIMD16<Int8>>
  ) -> Int {
    guard let base = bytes.baseAddress else { return start }
    // All bits of a byte are set if it has the property.
    @inline(__always) func marked(_ block: Block) -> Block {
      unsafeBitCast(marks(block), to: Block.self)
    }
    @inline(__always) func marked(at index: Int) -> Block {
      marked((base + index).loadUnaligned(as: Block.self))
    }
    @inline(__always) func words(_ block: Block) -> (UInt64, UInt64) {
      let words = unsafeBitCast(block, to: SIMD2<UInt64>.self)
      return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
    }
    var index = start
    while end - index >= 64 {
      let any = words(
        (marked(at: index) | marked(at: index + 16))
          | (marked(at: index + 32) | marked(at: index + 48)))
      if any.0 | any.1 != 0 { break }
      index += 64
    }
    while end - index >= 16 {
      let found = words(marked(at: index))
      if found.0 != 0 { return index + found.0.trailingZeroBitCount / 8 }
      if found.1 != 0 { return index + 8 + found.1.trailingZeroBitCount / 8 }
      index += 16
    }
    while index < end, marked(Block(repeating: bytes[index]))[0] == 0 { index += 1 }
    return index
  }

  /// The number of bytes of whole characters at the beginning of a text.
  static func wholeCharacters(of text: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    guard text.count > limit else { return text.count }
    var count = limit
    while count > 0, text[count] & 0xC0 == 0x80 { count -= 1 }
    return count
  }

  /// The end of the multi-byte characters that begin at a position; the position itself if there
  /// is none.
  private static func charactersEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var (end, index) = (start, start)
    while index < bytes.count, var character = UTF8Character(first: bytes[index]) {
      index += 1
      while !character.isComplete {
        guard index < bytes.count, character.append(bytes[index]) else { return end }
        index += 1
      }
      guard character.isText else { return end }
      end = index
    }
    return end
  }
}
