import TextTools

/// Extracts the text from a device's bytes: removes escape sequences, and all control characters
/// except tabs and line ends.
///
/// Sequences are removed completely. Strings (OSC, DCS, APC, PM, SOS) are removed with their
/// contents, up to a limit: an unterminated string must not remove the rest of the log. CR, LF
/// and CRLF end a line. Bytes that are not UTF-8 become U+FFFD. The states are those of Paul
/// Williams' parser (https://vt100.net/emu).
public struct SequenceStripper: Sendable {
  /// The maximum length of a string.
  static let maximalLength = 4_096

  private var state = State.text
  private var isReturned = false
  /// The bytes of an incomplete character.
  private var character: [UInt8] = []

  private enum State: Equatable {
    case text
    case escape
    case control
    case string(length: Int)
    case stringEscape
  }

  /// Creates a stripper for the beginning of a stream.
  public init() {}

  /// Strips a piece and appends the result.
  public mutating func strip(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    for byte in bytes { handle(byte, into: &output) }
  }

  private mutating func handle(_ byte: UInt8, into output: inout [UInt8]) {
    switch state {
    case .text: handleText(byte, into: &output)
    case .escape: handleAfterEscape(byte, into: &output)
    case .control:
      switch byte {
      case 0x20..<0x40: break
      case 0x40..<0x7F: state = .text
      default: abandon(byte, into: &output)
      }
    case .string(let length):
      switch byte {
      case 0x07, 0x18, 0x1A: state = .text
      case 0x1B: state = .stringEscape
      default: state = length < Self.maximalLength ? .string(length: length + 1) : .text
      }
    case .stringEscape:
      if byte == UInt8(ascii: "\\") {
        state = .text
      } else {
        handleAfterEscape(byte, into: &output)
      }
    }
  }

  private mutating func handleAfterEscape(_ byte: UInt8, into output: inout [UInt8]) {
    switch Unicode.Scalar(byte) {
    case "[": state = .control
    case "P", "X", "]", "^", "_": state = .string(length: 0)
    case " "..."/": state = .escape  // intermediate bytes, as in ESC ( B
    case "0"..."~": state = .text
    default: abandon(byte, into: &output)
    }
  }

  /// Ends a sequence at a byte that does not belong to it. The byte is text.
  private mutating func abandon(_ byte: UInt8, into output: inout [UInt8]) {
    state = .text
    handleText(byte, into: &output)
  }

  private mutating func handleText(_ byte: UInt8, into output: inout [UInt8]) {
    let wasReturned = isReturned
    isReturned = byte == 0x0D
    if byte < 0x80 { breakCharacter(into: &output) }
    switch byte {
    case 0x1B: state = .escape
    case 0x0D: output.append(0x0A)
    case 0x0A: if !wasReturned { output.append(byte) }
    case 0x09, 0x20..<0x7F: output.append(byte)
    case 0x00..<0x20, 0x7F: break
    default: handleCharacter(byte, into: &output)
    }
  }

  /// Handles a byte of a multi-byte character.
  private mutating func handleCharacter(_ byte: UInt8, into output: inout [UInt8]) {
    if !(0x80..<0xC0).contains(byte) { breakCharacter(into: &output) }
    character.append(byte)
    guard let length = Self.length(first: character[0]) else {
      return breakCharacter(into: &output)
    }
    guard character.count == length else { return }
    // C1 control characters, which some terminals interpret, are not text.
    if let text = String(validating: character, as: UTF8.self),
      let scalar = text.unicodeScalars.first, !(0x80..<0xA0).contains(scalar.value)
    {
      output.append(contentsOf: character)
      character.removeAll(keepingCapacity: true)
    } else {
      breakCharacter(into: &output)
    }
  }

  private mutating func breakCharacter(into output: inout [UInt8]) {
    guard !character.isEmpty else { return }
    output.append("\u{FFFD}")
    character.removeAll(keepingCapacity: true)
  }

  /// The length of a character by its first byte; nil if the byte cannot be the first.
  private static func length(first byte: UInt8) -> Int? {
    switch byte {
    case 0xC2..<0xE0: 2
    case 0xE0..<0xF0: 3
    case 0xF0..<0xF5: 4
    default: nil
    }
  }
}
