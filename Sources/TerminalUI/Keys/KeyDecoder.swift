/// Decodes the bytes from a terminal into keys.
///
/// A key may be split between any number of reads. Unknown sequences (other keys, mouse reports, answers to queries)
/// are dropped completely, so that no part of them is taken for text. A control character ends an incomplete
/// sequence, so ctrl-c and Enter always work.
///
/// ESC may be the escape key or the beginning of a sequence. While ``isPending``, the caller waits 25 to 50 ms for
/// more bytes and then calls ``flush()``.
public struct KeyDecoder {
  enum State: Equatable {
    case ground
    /// After ESC.
    case escape
    /// After ESC `[`, with the bytes since.
    case control([UInt8])
    /// After ESC `O`, with the digits since.
    case single([UInt8])
    /// In a string that ends with BEL or ESC `\`: OSC, DCS, APC, PM, SOS. The introducer is its second byte.
    case string(introducer: UInt8, isEmpty: Bool)
    /// After ESC in a string: its end, or a new sequence.
    case stringEscape
    /// In a sequence, with the number of its remaining bytes.
    case skipping(Int)
    case paste
  }

  /// The maximum length of parameters in bytes. Known keys have far fewer.
  static let parameterLimit = 32

  var state = State.ground
  private var assembler = UTF8Assembler()
  private var pasted = PasteBuffer()

  /// The bytes that switch bracketed paste on and off.
  public static let pasteMarksOn = Array("\u{1B}[?2004h".utf8)
  public static let pasteMarksOff = Array("\u{1B}[?2004l".utf8)

  /// Creates a decoder.
  public init() {}

  /// Whether the bytes so far are a complete key and also the beginning of another key.
  public var isPending: Bool {
    switch state {
    case .escape, .stringEscape: true
    case .control(let parameters), .single(let parameters): parameters.isEmpty
    case .string(_, let isEmpty): isEmpty
    case .ground, .skipping, .paste: false
    }
  }

  /// Decodes the next bytes.
  public mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    if state == .paste, let piece = pasted.takePiece(isEnd: false) { keys.append(piece) }
    return keys
  }

  /// Decodes bytes up to the end of one key, or all bytes of a paste.
  ///
  /// - Returns: the keys, usually one, none while more bytes are needed; and the number of bytes taken.
  public mutating func decodeFirst(
    of bytes: some Collection<UInt8>
  ) -> (keys: [Key], count: Int) {
    var keys: [Key] = []
    for (index, byte) in bytes.enumerated() {
      take(byte, &keys)
      if !keys.isEmpty { return (keys, index + 1) }
    }
    if state == .paste, let piece = pasted.takePiece(isEnd: false) { keys.append(piece) }
    return (keys, bytes.count)
  }

  /// Decodes the pending bytes as a complete key: escape, or a character with alt.
  public mutating func flush() -> [Key] {
    guard isPending else { return [] }
    defer { state = .ground }
    return switch state {
    case .escape, .stringEscape: [.named(.escape)]
    case .control: [.alt("[")]
    case .single: [.alt("O")]
    case .string(let introducer, _): [.alt(Unicode.Scalar(introducer))]
    case .ground, .skipping, .paste: []
    }
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch (state, byte) {
    case (.ground, _):
      takeText(byte, &keys)
    case (.paste, _):
      takePasted(byte, &keys)
    case (.escape, .escape), (.stringEscape, .escape):
      keys.append(.named(.escape))
      state = .escape
    case (.string, .bell), (.stringEscape, UInt8(ascii: "\\")):
      state = .ground
    case (.escape, _), (.stringEscape, _):
      takeAfterEscape(byte, &keys)
    case (.string, .escape):
      state = .stringEscape
    case (_, .escape):
      state = .escape
    case (_, 0x00..<0x20), (_, 0x7F):
      state = .ground
      takeText(byte, &keys)
    case (.control(let parameters), _):
      takeControl(byte, after: parameters, &keys)
    case (.single(let parameters), _):
      takeSingle(byte, after: parameters, &keys)
    case (.string(let introducer, _), _):
      state = .string(introducer: introducer, isEmpty: false)
    case (.skipping(let count), _):
      state = count > 1 ? .skipping(count - 1) : .ground
    }
  }

  mutating func takeText(_ byte: UInt8, _ keys: inout [Key]) {
    switch assembler.take(byte) {
    case .incomplete:
      break
    case .scalar(let scalar):
      if scalar == "\u{1B}" { state = .escape } else { keys.append(Key(typed: scalar)) }
    case .invalid:
      keys.append(.character("\u{FFFD}"))
    case .cutShort:
      keys.append(.character("\u{FFFD}"))
      takeText(byte, &keys)
    }
  }

  private mutating func takePasted(_ byte: UInt8, _ keys: inout [Key]) {
    let isEnd = pasted.take(byte)
    if isEnd { state = .ground }
    if isEnd || pasted.isFull, let piece = pasted.takePiece(isEnd: isEnd) { keys.append(piece) }
  }

  private mutating func takeAfterEscape(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "["):
      state = .control([])
    case UInt8(ascii: "O"):
      state = .single([])
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      state = .string(introducer: byte, isEmpty: true)
    case 0x20..<0x7F:
      state = .ground
      keys.append(.alt(Unicode.Scalar(byte)))
    case 0x80...:
      // A multi-byte character with alt: alt is ignored.
      state = .ground
      takeText(byte, &keys)
    default:
      state = .ground
      keys.append(Key(typed: Unicode.Scalar(byte)).withAlt)
    }
  }
}

extension Key {
  /// The key of a single character.
  fileprivate init(typed scalar: Unicode.Scalar) {
    self =
      switch scalar.value {
      case 0x09: .named(.tab)
      case 0x0A, 0x0D: .named(.enter)
      case 0x08, 0x7F: .named(.backspace)
      case 0x1B: .named(.escape)
      case 0x01..<0x1B: .control(Unicode.Scalar(UInt8(scalar.value) | 0x60))
      case 0x00, 0x1C..<0x20: .control(Unicode.Scalar(UInt8(scalar.value) | 0x40))
      default: .character(scalar)
      }
  }

  /// The key with alt if it is a named key; otherwise the key itself.
  fileprivate var withAlt: Key {
    switch self {
    case .named(let name, let modifiers): .named(name, modifiers.union(.alt))
    case .character, .control, .alt, .paste: self
    }
  }
}

extension UInt8 {
  fileprivate static let bell: UInt8 = 0x07
  fileprivate static let escape: UInt8 = 0x1B
}
