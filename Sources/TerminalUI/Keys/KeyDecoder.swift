/// Makes keys of the bytes that a terminal sends.
///
/// A key may be spread over any number of reads. What is not known is swallowed whole, so that no
/// half of a sequence is taken for text: sequences of other keys, reports of the mouse, answers to
/// questions that somebody else has asked. A control character breaks an unfinished sequence off:
/// whatever a terminal sends, ctrl-c and enter are heard.
///
/// ESC alone may be the escape key or the beginning of a sequence, and only time tells. While
/// ``isPending``, the caller waits a little (25 to 50 ms) for more and then calls ``flush()``.
public struct KeyDecoder {
  enum State: Equatable {
    case ground
    /// After ESC.
    case escape
    /// After ESC `[`, with the bytes since.
    case control([UInt8])
    /// After ESC `O`, with the digits since.
    case single([UInt8])
    /// In a string that ends with BEL or ESC `\`, whose second byte is kept: OSC, DCS, APC, PM, SOS.
    case string(introducer: UInt8, isEmpty: Bool)
    /// After ESC in a string: its end, or a new sequence that breaks it off.
    case stringEscape
    /// In a sequence of which so many bytes are still to come.
    case skipping(Int)
    case paste
  }

  /// How many bytes of parameters are kept; the keys that are known have far fewer.
  static let parameterLimit = 32

  var state = State.ground
  private var assembler = UTF8Assembler()
  private var pasted = PasteBuffer()

  /// What a terminal is told so that it marks what is pasted, and so that it does not any more.
  public static let pasteMarksOn = Array("\u{1B}[?2004h".utf8)
  public static let pasteMarksOff = Array("\u{1B}[?2004l".utf8)

  /// Creates a decoder that has seen nothing.
  public init() {}

  /// Whether what has come is a key if nothing follows, and the beginning of another if something
  /// does.
  public var isPending: Bool {
    switch state {
    case .escape, .stringEscape: true
    case .control(let parameters), .single(let parameters): parameters.isEmpty
    case .string(_, let isEmpty): isEmpty
    case .ground, .skipping, .paste: false
    }
  }

  /// Takes the next bytes.
  public mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    if state == .paste, let piece = pasted.takePiece(isEnd: false) { keys.append(piece) }
    return keys
  }

  /// Takes bytes until a key is complete, and of a paste all that there is; what follows may be for
  /// somebody else.
  ///
  /// - Returns: the keys, mostly one, none while more is needed; and how many bytes were taken.
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

  /// Takes what is pending for what it is by itself: escape, or alt and a character.
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
      // alt and a character of several bytes: the character is what matters.
      state = .ground
      takeText(byte, &keys)
    default:
      state = .ground
      keys.append(Key(typed: Unicode.Scalar(byte)).withAlt)
    }
  }
}

extension Key {
  /// The key of a character that arrives by itself.
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

  /// The key with alt held down, where that can be said; else the key.
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
