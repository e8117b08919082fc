/// Keeps a device from controlling the user's terminal.
///
/// Text passes, and the sequences that do nothing but move the cursor, erase, scroll and colour.
/// Everything else is shown instead of obeyed: `ESC` as `^[`, other control characters in the same
/// way, C1 as `<9b>`, bytes that are no UTF-8 as U+FFFD. Nothing that comes out makes a terminal
/// answer. Dropped is what says nothing to anybody: NUL, which devices pad with, and the modes that
/// shells and editors switch around every prompt, see ``ControlSequence``.
///
/// The states are those of Paul Williams' parser for DEC's terminals (https://vt100.net/emu), with
/// UTF-8 decoded first, so that C1 is a character and never a byte. Strings (OSC, DCS, APC, PM, SOS)
/// need no state that collects: their introducer is shown, and what follows is text.
public struct EscapeFilter: ByteStage, Sendable {
  private var state = State.ground
  /// The bytes of what is not complete yet: an escape sequence, or a character.
  private var pending: [UInt8] = []
  /// Whether the text belongs to a string whose introducer was shown: the bell that ends it is no
  /// bell.
  private var isInString = false
  private var screen = ScreenState()

  /// How long a control sequence may be; one that is longer is shown.
  static let maximalLength = 64

  private enum State {
    /// Between sequences.
    case ground
    /// Within a character of several bytes.
    case character(UTF8Character)
    /// After `ESC`.
    case escape
    /// After `ESC [`, before the final byte.
    case control
    /// After `ESC (`, before the character set.
    case characterSet
  }

  /// Whether the terminal shows UTF-8. If not, characters beyond ASCII are shown by their code points,
  /// and bytes that are no UTF-8 by their values: `<e9>`.
  private let showsUTF8: Bool
  private let permission: Permission

  /// Which of the harmless sequences pass; the others are dropped.
  public enum Permission: Hashable, Sendable {
    /// All.
    case drawing
    /// Colours and styles: text that shares its lines with other text must not move the cursor.
    case colours
    /// None: the terminal can only print.
    case none
  }

  /// Creates a filter, for the beginning of a stream.
  ///
  /// - Parameters:
  ///   - showsUTF8: whether the terminal shows UTF-8; if not, nothing but ASCII comes out.
  ///   - permission: which sequences pass.
  public init(showsUTF8: Bool = true, permitting permission: Permission = .drawing) {
    self.showsUTF8 = showsUTF8
    self.permission = permission
    pending.reserveCapacity(Self.maximalLength)
  }

  /// How many bytes wait for what completes them.
  var waiting: Int { pending.count }

  /// The sequences that undo what the device has left changed: colours, a hidden cursor, lines that
  /// do not wrap, a scroll region. Empty if nothing is.
  public var restoration: [UInt8] { screen.restoration }

  /// The sequences that bring a terminal into the state that the device has set, whatever state it is in.
  public var screenState: [UInt8] { screen.screenState }

  /// The sequences that bring a terminal into the state that no device has changed, whatever state it
  /// is in.
  public static var originalScreenState: [UInt8] { ScreenState().screenState }

  /// Whether the device has hidden the cursor.
  public var isCursorHidden: Bool { screen.isCursorHidden }

  /// Takes a piece; see ``ByteStage/transform(_:at:into:)``.
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
      take(bytes[index], into: &output)
      index += 1
    }
    return .changed
  }

  /// Whether a part of a sequence or of a character waits for its rest.
  public var isWaiting: Bool {
    if case .ground = state { false } else { true }
  }

  /// Shows the part of a sequence or of a character that waits for its rest.
  public mutating func flush(into output: inout [UInt8]) {
    switch state {
    case .ground: break
    case .character: breakCharacter(into: &output)
    case .escape, .control, .characterSet: showPending(into: &output)
    }
  }

  private mutating func take(_ byte: UInt8, into output: inout [UInt8]) {
    switch state {
    case .ground: takeInGround(byte, into: &output)
    case .character(let character): take(byte, in: character, into: &output)
    case .escape: takeAfterEscape(byte, into: &output)
    case .control: takeInControl(byte, into: &output)
    case .characterSet: takeCharacterSet(byte, into: &output)
    }
  }

  private mutating func takeInGround(_ byte: UInt8, into output: inout [UInt8]) {
    switch byte {
    case 0x20..<0x7F:
      output.append(byte)
    case 0x00..<0x20, .delete:
      take(control: byte, into: &output)
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

  private mutating func take(control byte: UInt8, into output: inout [UInt8]) {
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

  private mutating func takeAfterEscape(_ byte: UInt8, into output: inout [UInt8]) {
    switch Unicode.Scalar(byte) {
    case "[":
      state = .control
      pending.append(byte)
    case "(":
      state = .characterSet
      pending.append(byte)
    // DECKPAM, DECKPNM: what the keypad sends.
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
      takeInGround(byte, into: &output)
      // DCS, SOS, OSC, PM, APC.
      if "PX]^_".utf8.contains(byte) { isInString = true }
    }
  }

  /// ASCII, which is what there is.
  private mutating func takeCharacterSet(_ byte: UInt8, into output: inout [UInt8]) {
    if byte == UInt8(ascii: "B") { return dropPending() }
    showPending(into: &output)
    takeInGround(byte, into: &output)
  }

  private mutating func takeInControl(_ byte: UInt8, into output: inout [UInt8]) {
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
      takeInGround(byte, into: &output)
    }
  }

  /// Judges the control sequence that is complete now.
  ///
  /// A function of its own: the sequence must be gone when its bytes are, or they would be copied.
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

  private mutating func take(
    _ byte: UInt8, in character: UTF8Character, into output: inout [UInt8]
  ) {
    var character = character
    guard character.take(byte) else {
      breakCharacter(into: &output)
      takeInGround(byte, into: &output)
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

  /// Shows a character that is no text by its number.
  private mutating func show(codePoint: UInt32, into output: inout [UInt8]) {
    output.append(markOf: codePoint)
    // C1 ends a string, or begins one: DCS, SOS, OSC, PM, APC.
    if codePoint < 0x100 { isInString = [0x90, 0x98, 0x9D, 0x9E, 0x9F].contains(codePoint) }
    settle()
  }

  /// One mark for what is broken off, however many bytes it has: the practice that the Unicode
  /// standard recommends (3.9, "U+FFFD substitution of maximal subparts").
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

  /// Shows a sequence instead of passing it: `^[`, and the rest, which is printable.
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
