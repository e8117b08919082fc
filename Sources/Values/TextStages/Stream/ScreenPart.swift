/// A part of the text for a screen: of what an ``EscapeFilter`` has passed.
struct ScreenPart {
  /// What a part does.
  enum Kind: Hashable {
    /// Characters, at least one, all complete. In a raw stream also bytes that are not UTF-8.
    case text
    case tab, backspace, carriageReturn, lineFeed
    /// Another control character, or a string. It moves nothing.
    case control
    /// It changes colours or styles: SGR.
    case style
    /// It switches a mode, and does not move the cursor.
    case mode
    /// It erases, inserts or deletes in the row of the cursor, and does not move it.
    case edit
    /// It moves the cursor, or does something else.
    case motion
  }

  let kind: Kind
  let bytes: UnsafeRawBufferPointer

  /// The part as a control sequence; nil for any other part.
  var sequence: ControlSequence? { bytes[0] == .escape ? ControlSequence(bytes) : nil }

  /// Whether it erases the whole row: EL with 2.
  var erasesRow: Bool {
    guard kind == .edit, let sequence else { return false }
    return sequence.final == "K" && sequence.parameters.first == 2
  }
}

/// Divides text for a screen into parts.
///
/// A piece has complete sequences and characters, as an ``EscapeFilter`` passes them. In a raw
/// stream, the beginning of an incomplete one is ``ScreenPart/Kind/motion``.
struct ScreenParts: Sequence, IteratorProtocol {
  private let piece: UnsafeRawBufferPointer
  private var index = 0
  private var tokenizer = Tokenizer()

  init(_ piece: UnsafeRawBufferPointer) { self.piece = piece }

  mutating func next() -> ScreenPart? {
    let start = index
    guard start < piece.count else { return nil }
    // A sequence that cuts off a string is itself cut off by what follows its ESC.
    var kind: Tokenizer.Kind?
    repeat { kind = tokenizer.next(in: piece, from: &index)?.kind } while index == start
    let bytes = UnsafeRawBufferPointer(rebasing: piece[start..<index])
    return ScreenPart(kind: Self.kind(kind, bytes), bytes: bytes)
  }

  private static func kind(
    _ token: Tokenizer.Kind?, _ bytes: UnsafeRawBufferPointer
  ) -> ScreenPart.Kind {
    switch token {
    case .text, .invalid: .text
    // A control character in a sequence comes with the beginning of the sequence.
    case .control where bytes.count == 1: kind(ofControl: bytes[0])
    case .escape: kind(ofEscape: bytes)
    case .sequence: ControlSequence(bytes).map(kind(of:)) ?? .motion
    case .string, .mark: .control
    case .control, .malformed, nil: .motion
    }
  }

  private static func kind(ofControl byte: UInt8) -> ScreenPart.Kind {
    switch byte {
    case .lineFeed: .lineFeed
    case .carriageReturn: .carriageReturn
    case .tab: .tab
    case .backspace: .backspace
    case .verticalTab, .formFeed: .motion
    default: .control
    }
  }

  private static func kind(ofEscape bytes: UnsafeRawBufferPointer) -> ScreenPart.Kind {
    guard bytes.count == 2 else { return .motion }
    // DECKPAM, DECKPNM.
    return bytes[1] == UInt8(ascii: "=") || bytes[1] == UInt8(ascii: ">") ? .mode : .motion
  }

  private static func kind(of sequence: ControlSequence) -> ScreenPart.Kind {
    switch sequence.function {
    case .rendition: return .style
    case .modes:
      // The alternate screen, the saved cursor, and rows that count from the scroll region.
      let moves = [6, 47, 1_047, 1_048, 1_049].contains { sequence.concerns(mode: $0) }
      return moves ? .motion : .mode
    case .draws where sequence.intermediate == nil:
      switch sequence.final {
      // EL, DCH, ECH, ICH.
      case "K", "P", "X", "@": return .edit
      default: return .motion
      }
    default: return .motion
    }
  }
}
