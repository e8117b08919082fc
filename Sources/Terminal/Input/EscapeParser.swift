/// Finds escape sequences such as `~.` at the start of a line in typed bytes.
///
/// The rules are those of ssh(1). The escape character counts at the very beginning, and after CR
/// or LF. It is held back until the next key: `.` and `?` are commands; a second escape character
/// is sent once; any other key is sent after the first. After a command, the next byte still counts
/// as the start of a line.
package struct EscapeParser {
  /// A piece of the input.
  enum Item {
    /// Data: at least one byte of the input.
    case data(UnsafeRawBufferPointer)
    /// The held-back escape character turned out to be data. It comes before the rest of the input.
    case held(UInt8)
    /// A command.
    case command(Command)
  }

  /// The command of a key after the escape character.
  package enum Command: Hashable {
    case quit, help
  }

  static let quitKey = UInt8(ascii: ".")
  static let helpKey = UInt8(ascii: "?")

  let key: EscapeKey
  /// Whether the next byte is the first of a line.
  private var isAtLineStart = true
  /// Whether the last byte was the escape character, which is held back.
  private var isHolding = false

  init(_ key: EscapeKey) { self.key = key }

  /// Takes the next item from the beginning of the input; nil when there is none.
  mutating func next(in input: inout UnsafeRawBufferPointer) -> Item? {
    guard let escape = key.byte else { return input.isEmpty ? nil : .data(input.take(input.count)) }
    if !isHolding, isAtLineStart, input.first == escape {
      _ = input.take(1)
      isHolding = true
    }
    guard let first = input.first else { return nil }
    if isHolding {
      isHolding = false
      switch first {
      case Self.quitKey:
        _ = input.take(1)
        return .command(.quit)
      case Self.helpKey:
        _ = input.take(1)
        return .command(.help)
      case escape:
        isAtLineStart = false
        return .data(input.take(1))
      default:
        isAtLineStart = false
        return .held(escape)
      }
    }
    return .data(input.take(dataCount(in: input, before: escape)))
  }

  /// The number of bytes before an escape character at the start of a line.
  private mutating func dataCount(
    in input: UnsafeRawBufferPointer, before escape: UInt8
  ) -> Int {
    for (index, byte) in input.enumerated() {
      if isAtLineStart && byte == escape { return index }
      isAtLineStart = byte.endsLine
    }
    return input.count
  }

  /// The number of bytes at the end of data that are an escape sequence at the start of a line, or
  /// its first byte: keys that were typed quickly after others.
  func sequenceCount(atEndOf data: UnsafeRawBufferPointer) -> Int {
    for count in [2, 1] where data.count > count {
      let start = data.count - count
      let isSequence =
        count == 1 || data[start + 1] == Self.quitKey || data[start + 1] == Self.helpKey
      if isSequence && data[start] == key.byte && data[start - 1].endsLine { return count }
    }
    return 0
  }

  /// Records data that is not searched, such as a paste. Call ``takeHeld()`` first.
  mutating func pass(_ data: UnsafeRawBufferPointer) {
    if let last = data.last { isAtLineStart = last.endsLine }
  }

  /// Removes and returns the held-back escape character, as data; nil if there is none.
  mutating func takeHeld() -> UInt8? {
    guard isHolding else { return nil }
    (isHolding, isAtLineStart) = (false, false)
    return key.byte
  }
}

extension UInt8 {
  fileprivate var endsLine: Bool { self == UInt8(ascii: "\r") || self == UInt8(ascii: "\n") }
}
