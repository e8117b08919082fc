import TextTools
public import Time

/// Passes all bytes, but each escape sequence and character only when it is complete: other output
/// of the program must not appear inside of one.
///
/// It is used for a stream that is shown raw; an ``EscapeFilter`` already holds sequences back. The
/// grammar is that of ECMA-48 as terminals interpret UTF-8: no byte above 7F is a control.
public struct WholeSequences: ByteStage {
  /// The position in a sequence.
  private enum State {
    case ground
    /// Inside of a character.
    case character(UTF8Character)
    /// After ESC, and any following bytes 20 to 2F.
    case escape
    /// After CSI.
    case control
    /// In a string that ends with BEL or ST.
    case string
    /// After ESC in a string.
    case stringEscape
  }

  /// The maximum number of bytes that are held back. The rest of a longer sequence, such as a
  /// picture, passes immediately.
  public static let limit = 65_536

  private var state = State.ground
  private var held: [UInt8] = []
  private var isTooLong = false
  /// The bytes of an escape or control sequence after its introducer, as far as they are needed.
  private var sequence: [UInt8] = []
  private var modes = SwitchedModes()

  /// The maximum length of a sequence that switches a mode.
  private static let longestSwitch = 64

  /// Creates a stage for the beginning of a stream.
  public init() {}

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    var end = 0
    var index = 0
    while index < bytes.count {
      if case .ground = state {
        index = PlainText.end(in: bytes, from: index)
        end = index
      }
      if index < bytes.count {
        handle(bytes[index])
        index += 1
      }
      if case .ground = state { end = index }
    }
    if end > 0 { isTooLong = false }
    if end == bytes.count && held.isEmpty { return .unchanged }
    if end > 0 {
      output += held
      output.append(bytes, in: 0..<end)
      held.removeAll(keepingCapacity: true)
    }
    held.append(bytes, in: end..<bytes.count)
    if isTooLong || held.count > Self.limit {
      isTooLong = true
      flush(into: &output)
    }
    return .changed
  }

  /// Whether a sequence or a character is incomplete.
  public var isWaiting: Bool { !held.isEmpty }

  /// Appends the incomplete sequence or character, and keeps the state inside of it.
  public mutating func flush(into output: inout [UInt8]) {
    output += held
    held.removeAll(keepingCapacity: true)
  }

  /// The sequences that undo what the device has switched.
  public var restoration: [UInt8] { modes.restoration }

  private mutating func note(_ byte: UInt8) {
    if sequence.count < Self.longestSwitch { sequence.append(byte) }
  }

  private mutating func end(_ byte: UInt8, isControl: Bool) {
    note(byte)
    modes.note(sequence[...], isControl: isControl)
    sequence.removeAll(keepingCapacity: true)
    state = .ground
  }

  private mutating func handle(_ byte: UInt8) {
    switch (state, byte) {
    case (.string, .bell), (.stringEscape, UInt8(ascii: "\\")): state = .ground
    case (.string, .escape): state = .stringEscape
    case (.string, 0x18), (.string, 0x1A): state = .ground
    case (.string, _): break
    case (_, .escape):
      state = .escape
      sequence.removeAll(keepingCapacity: true)
    case (.escape, _), (.stringEscape, _): handleAfterEscape(byte)
    case (.control, 0x20..<0x40): note(byte)
    case (.control, 0x00..<0x18), (.control, 0x19), (.control, 0x1C..<0x20): break
    case (.control, 0x40..<0x7F): end(byte, isControl: true)
    case (.control, _): state = .ground
    case (.character(var character), _):
      guard character.append(byte) else {
        state = .ground
        return handle(byte)
      }
      state = character.isComplete ? .ground : .character(character)
    // SO, SI.
    case (.ground, 0x0E), (.ground, 0x0F): end(byte, isControl: false)
    case (.ground, _):
      if let character = UTF8Character(first: byte) { state = .character(character) }
    }
  }

  private mutating func handleAfterEscape(_ byte: UInt8) {
    switch Unicode.Scalar(byte) {
    case "[": state = .control
    // DCS, SOS, OSC, PM, APC.
    case "P", "X", "]", "^", "_": state = .string
    case " "..."/":
      note(byte)
      state = .escape
    default: end(byte, isControl: false)
    }
  }
}
