import TextTools
public import Time

/// Prevents a device from controlling the user's terminal.
///
/// Text passes, and so do sequences that only move the cursor, erase, scroll and colour. Everything
/// else is shown as text: `ESC` as `^[`, other control characters in the same way, C1 as `<9b>`,
/// invalid UTF-8 as U+FFFD. No output makes a terminal answer. Two things are dropped because they
/// tell a user nothing: NUL, which devices use as padding, and the modes that shells and editors
/// switch at every prompt, see ``ControlSequence``.
///
/// The states are those of Paul Williams' parser for DEC terminals (https://vt100.net/emu). UTF-8
/// is decoded first, so C1 is a character and never a byte. Strings (OSC, DCS, APC, PM, SOS) are
/// not collected: their introducer is shown, and the rest is text.
public struct EscapeFilter: ByteStage, Sendable {
  private var state = State.ground
  /// The bytes of an incomplete escape sequence or character.
  private var pending: [UInt8] = []
  /// Whether the text belongs to a string whose introducer was shown. The BEL that ends the string
  /// must then not ring.
  private var isInString = false
  private var screen = ScreenState()

  /// The maximum length of a control sequence. A longer one is shown.
  static let maximalLength = 64

  private enum State {
    /// Between sequences.
    case ground
    /// Inside of a character of several bytes.
    case character(UTF8Character)
    /// After `ESC`.
    case escape
    /// After `ESC [`, before the final byte.
    case control
    /// After `ESC (`, before the character set.
    case characterSet
  }

  /// Whether the terminal can show UTF-8. Otherwise characters beyond ASCII are shown by their code
  /// points, and invalid bytes by their values: `<e9>`.
  private let showsUTF8: Bool
  private let permission: Permission

  /// The harmless sequences that pass. The others are dropped.
  public enum Permission: Hashable, Sendable {
    /// All.
    case drawing
    /// Colours and styles only: text that shares its lines with other text must not
    /// move the cursor.
    case colours
    /// None: the terminal can only print.
    case none
  }

  /// Creates a filter for the beginning of a stream.
  ///
  /// - Parameters:
  ///   - showsUTF8: whether the terminal can show UTF-8; otherwise the output is ASCII.
  ///   - permission: the sequences that pass.
  public init(showsUTF8: Bool = true, permitting permission: Permission = .drawing) {
    self.showsUTF8 = showsUTF8
    self.permission = permission
    pending.reserveCapacity(Self.maximalLength)
  }

  /// The number of bytes of an incomplete sequence or character.
  var waiting: Int { pending.count }

  /// The sequences that undo the device's changes: colours, a hidden cursor, lines that do not
  /// wrap, a scroll region. Empty if there are none.
  public var restoration: [UInt8] { screen.restoration }

  /// The sequences that bring a terminal from any state into the state that the device has set.
  public var screenState: [UInt8] { screen.screenState }

  /// The sequences that bring a terminal from any state into its original state.
  public static var originalScreenState: [UInt8] { ScreenState().screenState }

  /// Whether the device has hidden the cursor.
  public var isCursorHidden: Bool { screen.isCursorHidden }

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    var index = 0
    while index < bytes.count {
      if case .ground = state, !isInString {
        let end =
          showsUTF8
          ? PlainText.end(in: bytes, from: index) : PlainText.asciiEnd(in: bytes, from: index)
        if end - index == bytes.count { return .unchanged }
        output.append(bytes, in: index..<end)
        index = end
        if index == bytes.count { break }
      }
      handle(bytes[index], into: &output)
      index += 1
    }
    return .changed
  }

  /// Whether a sequence or a character is incomplete.
  public var isWaiting: Bool {
    if case .ground = state { false } else { true }
  }

  /// Shows the incomplete sequence or character.
  public mutating func flush(into output: inout [UInt8]) {
    switch state {
    case .ground: break
    case .character: breakCharacter(into: &output)
    case .escape, .control, .characterSet: showPending(into: &output)
    }
  }

  private mutating func handle(_ byte: UInt8, into output: inout [UInt8]) {
    switch state {
    case .ground: handleInGround(byte, into: &output)
    case .character(let character): handle(byte, in: character, into: &output)
    case .escape: handleAfterEscape(byte, into: &output)
    case .control: handleInControl(byte, into: &output)
    case .characterSet: handleCharacterSet(byte, into: &output)
    }
  }

  private mutating func handleInGround(_ byte: UInt8, into output: inout [UInt8]) {
    switch byte {
    case 0x20..<0x7F:
      output.append(byte)
    case 0x00..<0x20, .delete:
      handle(control: byte, into: &output)
    default:
      if let character = UTF8Character(first: byte) {
        state = .character(character)
        pending.append(byte)
      } else if showsUTF8 {
        output.append("\u{FFFD}")
      } else {
        output.append(markOf: UInt32(byte))
      }
    }
  }

  private mutating func handle(control byte: UInt8, into output: inout [UInt8]) {
    let endsString = isInString && byte == .bell
    isInString = false
    if byte == .escape {
      state = .escape
      pending.append(byte)
    } else if PlainText.isPlain(control: byte), !endsString {
      output.append(byte)
    } else if byte != .null && byte != .shiftIn {
      output.append(UInt8(ascii: "^"))
      output.append(byte ^ 0x40)
    }
  }

  private mutating func handleAfterEscape(_ byte: UInt8, into output: inout [UInt8]) {
    switch Unicode.Scalar(byte) {
    case "[":
      state = .control
      pending.append(byte)
    case "(":
      state = .characterSet
      pending.append(byte)
    // DECKPAM, DECKPNM: the mode of the keypad.
    case "=", ">": dropPending()
    // DECSC, DECRC, IND, NEL, RI.
    case "7", "8", "D", "E", "M":
      guard permission == .drawing else { return dropPending() }
      if byte == UInt8(ascii: "7") { screen.saveCursor() }
      if byte == UInt8(ascii: "8") { screen.restoreCursor() }
      pending.append(byte)
      passPending(into: &output)
    default:
      showPending(into: &output)
      handleInGround(byte, into: &output)
      // DCS, SOS, OSC, PM, APC.
      if "PX]^_".utf8.contains(byte) { isInString = true }
    }
  }

  /// Drops a sequence that selects ASCII, which is the present character set.
  private mutating func handleCharacterSet(_ byte: UInt8, into output: inout [UInt8]) {
    if byte == UInt8(ascii: "B") { return dropPending() }
    showPending(into: &output)
    handleInGround(byte, into: &output)
  }

  private mutating func handleInControl(_ byte: UInt8, into output: inout [UInt8]) {
    switch byte {
    case 0x20..<0x40:
      pending.append(byte)
      if pending.count == Self.maximalLength { showPending(into: &output) }
    case 0x40..<0x7F:
      pending.append(byte)
      switch judgePending() {
      case .passed: passPending(into: &output)
      case .dropped: dropPending()
      case .shown: showPending(into: &output)
      }
    default:
      showPending(into: &output)
      handleInGround(byte, into: &output)
    }
  }

  /// Decides about the complete control sequence.
  ///
  /// This is a separate function so that the sequence is released before its bytes, which
  /// avoids a copy.
  private mutating func judgePending() -> ControlSequence.Verdict {
    let sequence = ControlSequence(pending)
    let verdict = sequence.verdict
    guard verdict == .passed else { return verdict }
    switch permission {
    case .drawing: break
    case .colours: guard sequence.final == "m" else { return .dropped }
    case .none: return .dropped
    }
    screen.note(sequence)
    return .passed
  }

  private mutating func handle(
    _ byte: UInt8, in character: UTF8Character, into output: inout [UInt8]
  ) {
    var character = character
    guard character.append(byte) else {
      breakCharacter(into: &output)
      handleInGround(byte, into: &output)
      return
    }
    pending.append(byte)
    if !character.isComplete {
      state = .character(character)
    } else if character.isText && showsUTF8 {
      passPending(into: &output)
    } else {
      show(codePoint: character.codePoint, into: &output)
    }
  }

  /// Shows a character that is not text as its number.
  private mutating func show(codePoint: UInt32, into output: inout [UInt8]) {
    output.append(markOf: codePoint)
    // C1 may end or begin a string: DCS, SOS, OSC, PM, APC.
    if codePoint < 0x100 { isInString = [0x90, 0x98, 0x9D, 0x9E, 0x9F].contains(codePoint) }
    settle()
  }

  /// Shows one mark for an incomplete character of any length, as the Unicode standard recommends
  /// (3.9, "U+FFFD substitution of maximal subparts").
  private mutating func breakCharacter(into output: inout [UInt8]) {
    if showsUTF8 {
      output.append("\u{FFFD}")
    } else {
      for byte in pending { output.append(markOf: UInt32(byte)) }
    }
    settle()
  }

  private mutating func passPending(into output: inout [UInt8]) {
    output.append(contentsOf: pending)
    settle()
  }

  private mutating func dropPending() { settle() }

  /// Shows a sequence instead of passing it: `^[` and its remaining bytes, which are printable.
  private mutating func showPending(into output: inout [UInt8]) {
    output.append("^[")
    output.append(contentsOf: pending.dropFirst())
    settle()
  }

  /// Returns to the state between sequences.
  private mutating func settle() {
    state = .ground
    pending.removeAll(keepingCapacity: true)
  }
}
