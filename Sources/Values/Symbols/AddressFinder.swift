/// Finds addresses in a line of text.
///
/// These are addresses: `0x` and 6 to 16 digits (printf's `%p` leaves out leading zeros), and 8 or
/// 16 digits after the name of a register, as in `mepc: 80001234` of Zephyr or `PC=08000123`.
/// Whether there is code at an address, the caller says. The work is bounded, whatever the line is.
public struct AddressFinder: Hashable, Sendable {
  /// The bytes of a line that are searched.
  public static let maximumLength = 65_536
  /// The addresses of a line that count; a backtrace is shorter.
  public static let maximumAddresses = 64

  public init() {}

  /// The addresses in a line, in its order, each once.
  public func addresses(in line: [UInt8], isCode: (UInt64) -> Bool) -> [UInt64] {
    let end = min(line.count, Self.maximumLength)
    var found: [UInt64] = []
    var position = 0
    while position < end {
      guard Self.isWord(line[position]) else {
        position += 1
        continue
      }
      let start = position
      while position < end, Self.isWord(line[position]) { position += 1 }
      // A word that the limit cuts is not an address.
      if position == end, end < line.count, Self.isWord(line[end]) { break }
      guard let address = Self.address(line, start..<position), isCode(address),
        !found.contains(address)
      else { continue }
      found.append(address)
      if found.count == Self.maximumAddresses { break }
    }
    return found
  }

  private static func address(_ line: [UInt8], _ word: Range<Int>) -> UInt64? {
    if line[word.lowerBound] == 0x30, word.count > 2, line[word.lowerBound + 1] | 0x20 == 0x78 {
      return (8...18).contains(word.count)
        ? number(line[(word.lowerBound + 2)..<word.upperBound]) : nil
    }
    guard word.count == 8 || word.count == 16, followsRegister(line, word.lowerBound) else {
      return nil
    }
    return number(line[word])
  }

  /// Whether `NAME:` or `NAME=` precedes, with few spaces. A hex dump's offset is not a name.
  private static func followsRegister(_ line: [UInt8], _ start: Int) -> Bool {
    var position = start
    func skipSpaces() {
      let limit = max(0, position - 8)
      while position > limit, line[position - 1] == 0x20 { position -= 1 }
    }
    skipSpaces()
    guard position > 0, line[position - 1] == 0x3A || line[position - 1] == 0x3D else {
      return false
    }
    position -= 1
    skipSpaces()
    let end = position
    while position > max(0, end - 9), isWord(line[position - 1]) { position -= 1 }
    // Names of registers are short: r15, mepc, EXCVADDR.
    guard (1...8).contains(end - position), line[position] | 0x20 >= 0x61 else { return false }
    return end - position < 8 || number(line[position..<end]) == nil
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      switch digit {
      case 0x30...0x39: value = value << 4 | UInt64(digit - 0x30)
      case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt64((digit | 0x20) - 0x57)
      default: return nil
      }
    }
    return value
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
    default: false
    }
  }
}
