/// The line that is being typed, with the editing of simple firmware: it echoes input, and
/// backspace overwrites the last character with a space.
struct BoardLineEditor {
  /// The maximum length of a line in bytes. Further bytes are refused with a bell.
  static let capacity = 128

  /// The effect of a byte.
  enum Event: Equatable {
    /// The line is complete. It does not include the line ending.
    case line([UInt8])
    /// ctrl-c: the line was abandoned.
    case interrupt
  }

  private var line: [UInt8] = []
  private var escape = Escape.none
  private var followsReturn = false
  private var isRefusing = false

  /// The position in an escape sequence, such as that of an arrow key.
  private enum Escape {
    case none
    /// After ESC.
    case introduced
    /// After ESC `[`: parameters until a final byte.
    case control
    /// After ESC `O`: one more byte.
    case single
  }

  /// Handles a typed byte and appends its echo.
  mutating func receive(_ byte: UInt8, echo output: inout DeviceOutput) -> Event? {
    let endsReturn = followsReturn && byte == .lineFeed
    followsReturn = byte == .carriageReturn
    // The LF of a CR LF. The CR has already completed the line.
    if endsReturn || swallows(byte) { return nil }
    switch byte {
    case .carriageReturn, .lineFeed:
      output.append("\r\n")
      defer { line = [] }
      return .line(line)
    case .interrupt:
      output.append("^C\r\n")
      line = []
      return .interrupt
    case .kill:
      while !line.isEmpty { rubOut(echo: &output) }
    case .backspace, .delete:
      if !line.isEmpty { rubOut(echo: &output) }
    case 0x00..<0x20:
      break
    default:
      insert(byte, echo: &output)
    }
    return nil
  }

  /// Whether a byte belongs to an escape sequence. A control character ends the sequence, so that a
  /// single press of the escape key does not swallow Enter.
  private mutating func swallows(_ byte: UInt8) -> Bool {
    if byte == .escape {
      escape = .introduced
      return true
    }
    switch (escape, byte) {
    case (.none, _):
      return false
    case (_, 0x00..<0x20):
      escape = .none
      return false
    case (.introduced, UInt8(ascii: "[")):
      escape = .control
    case (.introduced, UInt8(ascii: "O")):
      escape = .single
    case (.introduced, _), (.single, _), (.control, 0x40...0x7E):
      escape = .none
    case (.control, _):
      break
    }
    return true
  }

  /// Inserts a byte. A character that does not fit completely is refused, because a part of it
  /// cannot be displayed.
  private mutating func insert(_ byte: UInt8, echo output: inout DeviceOutput) {
    let isContinuation = byte.isUTF8Continuation
    if isContinuation && isRefusing { return }
    isRefusing = line.count + (isContinuation ? 1 : byte.utf8SequenceLength) > Self.capacity
    if isRefusing {
      output.append(.bell)
    } else {
      line.append(byte)
      output.append(byte)
    }
  }

  /// Removes the last character, assuming that it is one column wide.
  private mutating func rubOut(echo output: inout DeviceOutput) {
    while let byte = line.popLast(), byte.isUTF8Continuation {}
    output.append("\u{8} \u{8}")
  }
}

extension UInt8 {
  fileprivate static let interrupt: UInt8 = 0x03
  fileprivate static let bell: UInt8 = 0x07
  fileprivate static let backspace: UInt8 = 0x08
  fileprivate static let lineFeed: UInt8 = 0x0A
  fileprivate static let carriageReturn: UInt8 = 0x0D
  fileprivate static let kill: UInt8 = 0x15
  fileprivate static let escape: UInt8 = 0x1B
  fileprivate static let delete: UInt8 = 0x7F

  fileprivate var isUTF8Continuation: Bool { self & 0xC0 == 0x80 }

  /// The length in bytes of the UTF-8 character that starts with this byte; 1 if none does.
  fileprivate var utf8SequenceLength: Int {
    switch self {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
