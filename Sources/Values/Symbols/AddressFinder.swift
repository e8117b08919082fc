/// Finds addresses in lines of text.
///
/// These are addresses: `0x` and 6 to 16 digits (printf's `%p` leaves out leading zeros), and
/// words of 8 or 16 digits in a row that begins with the name of a register, as in
/// `mepc: 80001234` of Zephyr or `PC=08000123`, or in a stack dump with a place in memory:
/// `3fffff70:  40201a5e`. Whether there is code at an address, the caller says. The work is
/// bounded, whatever the lines are.
///
/// A stack dump begins with `>>>stack>>>` of the ESP8266, with `Stack dump:` at the end of a line,
/// or before a place in memory, as in each row of NuttX: `stack_dump: 0x3ffb7b70: d0cf5901`. It
/// ends with `<<<stack<<<`, after some lines that are no rows, or when it is longer than a stack:
/// a hex dump that comes later has no addresses.
public struct AddressFinder: Hashable, Sendable {
  /// The bytes of a line that are searched.
  public static let maximumLength = 65_536
  /// The addresses of a line that count; a backtrace is shorter.
  public static let maximumAddresses = 64

  /// The lines without a row after which a stack dump has ended. Empty lines do not count.
  public static let mostOtherLines = 4
  /// The rows of a stack dump that count: 64 KB.
  public static let mostRows = 4_096

  /// What the present stack dump may still have; none without a dump.
  private var otherLines = 0
  private var rows = 0

  public init() {}

  /// The addresses in a line, in its order, each once.
  ///
  /// - Parameter isWhole: whether the line has ended. A part of a line does not say whether the
  ///   next line is in a stack dump.
  public mutating func addresses(
    in line: [UInt8], isWhole: Bool = true, isCode: (UInt64) -> Bool
  ) -> [UInt64] {
    let begins = Self.beginsDump(line)
    let isInDump = begins ?? (otherLines > 0)
    let (found, hasRow) = Self.addresses(in: line, ofDump: isInDump, isCode: isCode)
    guard isWhole else { return found }
    switch begins {
    case true?: (otherLines, rows) = (Self.mostOtherLines, Self.mostRows)
    case false?: otherLines = 0
    case nil where isInDump && hasRow:
      rows -= 1
      otherLines = rows > 0 ? Self.mostOtherLines : 0
    case nil: otherLines = max(0, otherLines - 1)
    }
    return found
  }

  /// Whether a stack dump begins with a line; false if it ends, nil without a word about it.
  private static func beginsDump(_ line: [UInt8]) -> Bool? {
    for index in line.indices.prefix(512) where line[index] | 0x20 == 0x73 {
      // Lower-case letters; "_" becomes DEL.
      let text = line[index...].prefix(10).map { $0 | 0x20 }
      guard text.starts(with: stack) else { continue }
      let rest = text[stack.count...]
      if rest.starts(with: [0x3E, 0x3E, 0x3E]) { return true }
      if rest.starts(with: [0x3C, 0x3C, 0x3C]) { return false }
      let word = rest.first == UInt8(ascii: " ") || rest.first == 0x7F ? rest.dropFirst() : rest
      if word.starts(with: dump),
        isBeforeDump(line[(index + stack.count + rest.count - word.count + dump.count)...])
      {
        return true
      }
    }
    return nil
  }

  /// Whether a colon, and then nothing or a place in memory, follows the words of a stack dump. In
  /// a sentence about a stack dump, other words do.
  private static func isBeforeDump(_ rest: ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: ":") else { return false }
    let place = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let digits = place.starts(with: [0x30, 0x78]) ? place.dropFirst(2) : place
    let word = digits.prefix(17).prefix(while: isWord)
    return place.isEmpty || (6...16).contains(word.count) && number(word) != nil
  }

  private static let stack = Array("stack".utf8)
  private static let dump = Array("dump".utf8)

  /// The addresses, and whether the line is a row of a dump.
  private static func addresses(
    in line: [UInt8], ofDump isInDump: Bool, isCode: (UInt64) -> Bool
  ) -> (found: [UInt64], hasRow: Bool) {
    let end = min(line.count, maximumLength)
    var found: [UInt64] = []
    var position = 0
    // Whether blanks and words without "0x" have followed the beginning of a row.
    var isInRow = false
    var hasRow = false
    while position < end {
      guard isWord(line[position]) else {
        if line[position] != UInt8(ascii: " "), line[position] != UInt8(ascii: "\t") {
          isInRow = false
        }
        position += 1
        continue
      }
      let start = position
      while position < end, isWord(line[position]) { position += 1 }
      // A word that the limit cuts is not an address.
      if position == end, end < line.count, isWord(line[end]) { break }
      let isMarked = position - start > 2 && line[start] == 0x30 && line[start + 1] | 0x20 == 0x78
      let digits = line[(isMarked ? start + 2 : start)..<position]
      let isLong = digits.count == 8 || digits.count == 16
      let value = isMarked && (6...16).contains(digits.count) || isLong ? number(digits) : nil
      let isBare = value != nil && !isMarked
      hasRow = hasRow || isBare && isInRow
      isInRow = isBare && (isInRow || followsRegister(line, start))
      if let value, isMarked || isInRow, isCode(value), !found.contains(value) {
        found.append(value)
        if found.count == maximumAddresses { break }
      }
      if isInDump, isLong, value != nil, position < end, line[position] == UInt8(ascii: ":") {
        isInRow = true
        position += 1
      }
    }
    return (found, hasRow)
  }

  /// Whether `NAME:` or `NAME=` precedes, with few spaces. A hex dump's offset is not a name.
  private static func followsRegister(_ line: [UInt8], _ start: Int) -> Bool {
    var position = start
    func skipSpaces() {
      let limit = max(0, position - 8)
      while position > limit, line[position - 1] == UInt8(ascii: " ") { position -= 1 }
    }
    // U-Boot: pc : [<87f3ba2c>]
    if start > 1, line[start - 1] == 0x3C, line[start - 2] == 0x5B { position -= 2 }
    skipSpaces()
    guard position > 0,
      line[position - 1] == UInt8(ascii: ":") || line[position - 1] == UInt8(ascii: "=")
    else {
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
