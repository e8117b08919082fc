import TextTools

/// Collects a paste up to its end mark, and returns it in pieces.
///
/// Bytes that may be the beginning of the mark, or of a character, are held back until more follow.
struct PasteBuffer {
  /// The size of a piece, in bytes.
  static let capacity = 4096
  /// The mark that a terminal sends after a paste.
  static let endMark = Array("\u{1B}[201~".utf8)

  private var bytes: [UInt8] = []

  /// Adds a byte.
  ///
  /// - Returns: whether it completes the end mark.
  mutating func append(_ byte: UInt8) -> Bool {
    bytes.append(byte)
    guard bytes.last == Self.endMark.last, bytes.hasSuffix(Self.endMark) else { return false }
    bytes.removeLast(Self.endMark.count)
    return true
  }

  var isFull: Bool { bytes.count >= Self.capacity }

  /// Removes and returns the bytes that cannot be part of the end mark; nil if there are none.
  mutating func takePiece(isEnd: Bool) -> Key? {
    let held = isEnd ? 0 : max(lengthOfBegunMark, lengthOfBegunCharacter)
    let piece = Array(bytes.dropLast(held))
    guard !piece.isEmpty else { return nil }
    bytes.removeFirst(piece.count)
    return .paste(piece)
  }

  private var lengthOfBegunMark: Int {
    let longest = min(Self.endMark.count - 1, bytes.count)
    return (0...longest).last { bytes.hasSuffix(Self.endMark.prefix($0)) } ?? 0
  }

  private var lengthOfBegunCharacter: Int {
    // Finds the last byte that is not a continuation, and the length of its character.
    for (length, byte) in zip(1...3, bytes.reversed()) where byte & 0xC0 != 0x80 {
      return length <= UTF8Character(first: byte)?.missingCount ?? 0 ? length : 0
    }
    return 0
  }
}

extension Array<UInt8> {
  fileprivate func hasSuffix(_ suffix: some BidirectionalCollection<UInt8>) -> Bool {
    count >= suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
  }
}
