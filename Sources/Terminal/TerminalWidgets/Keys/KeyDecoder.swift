import TextTools

/// Decodes the bytes from a terminal into keys.
///
/// A key may be split between any number of reads. Unknown sequences (other keys, mouse reports,
/// answers to queries) are dropped completely, so that no part of them is taken for text. A control
/// character ends an incomplete sequence, so ctrl-c and Enter always work.
///
/// ESC may be the escape key or the beginning of a sequence. While ``isPending``, the caller waits
/// 25 to 50 ms for more bytes and then calls ``flush()``.
public struct KeyDecoder {
  private enum State: Equatable {
    case ground
    /// After ESC.
    case escape
    /// After ESC `[`, with the bytes since.
    case control([UInt8])
    /// After ESC `O`, with the digits since.
    case single([UInt8])
    /// In a string that ends with BEL or ESC `\`: OSC, DCS, APC, PM, SOS. The introducer is
    /// its second byte.
    case string(introducer: UInt8, isEmpty: Bool)
    /// After ESC in a string: its end, or a new sequence.
    case stringEscape
    /// In a sequence, with the number of its remaining bytes.
    case skipping(Int)
    case paste
  }

  /// The maximum length of parameters in bytes. Known keys have far fewer.
  private static let parameterLimit = 32

  private var state = State.ground
  /// The incomplete character.
  private var character: UTF8Character?
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
    for byte in bytes { decode(byte, &keys) }
    if state == .paste, let piece = pasted.takePiece(isEnd: false) { keys.append(piece) }
    return keys
  }

  /// Decodes bytes up to the end of one key, or all bytes of a paste.
  ///
  /// - Returns: the keys, usually one, none while more bytes are needed; and the number
  ///   of bytes taken.
  public mutating func decodeFirst(
    of bytes: some Collection<UInt8>
  ) -> (keys: [Key], count: Int) {
    var keys: [Key] = []
    for (index, byte) in bytes.enumerated() {
      decode(byte, &keys)
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

  private mutating func decode(_ byte: UInt8, _ keys: inout [Key]) {
    switch (state, byte) {
    case (.ground, _):
      decodeText(byte, &keys)
    case (.paste, _):
      decodePasted(byte, &keys)
    case (.escape, .escape), (.stringEscape, .escape):
      keys.append(.named(.escape))
      state = .escape
    case (.string, .bell), (.stringEscape, UInt8(ascii: "\\")):
      state = .ground
    case (.escape, _), (.stringEscape, _):
      decodeAfterEscape(byte, &keys)
    case (.string, .escape):
      state = .stringEscape
    case (_, .escape):
      state = .escape
    case (_, 0x00..<0x20), (_, 0x7F):
      state = .ground
      decodeText(byte, &keys)
    case (.control(let parameters), _):
      decodeControl(byte, after: parameters, &keys)
    case (.single(let parameters), _):
      decodeSingle(byte, after: parameters, &keys)
    case (.string(let introducer, _), _):
      state = .string(introducer: introducer, isEmpty: false)
    case (.skipping(let count), _):
      state = count > 1 ? .skipping(count - 1) : .ground
    }
  }

  private mutating func decodeText(_ byte: UInt8, _ keys: inout [Key]) {
    if var character {
      let isPart = character.append(byte)
      self.character = isPart && !character.isComplete ? character : nil
      if self.character == nil {
        let scalar = isPart ? Unicode.Scalar(character.codePoint) : nil
        keys.append(.character(scalar ?? "\u{FFFD}"))
      }
      if isPart { return }
    }
    switch byte {
    case .escape: state = .escape
    case 0x00..<0x80: keys.append(Key(typed: Unicode.Scalar(byte)))
    default:
      character = UTF8Character(first: byte)
      if character == nil { keys.append(.character("\u{FFFD}")) }
    }
  }

  private mutating func decodePasted(_ byte: UInt8, _ keys: inout [Key]) {
    let isEnd = pasted.append(byte)
    if isEnd { state = .ground }
    if isEnd || pasted.isFull, let piece = pasted.takePiece(isEnd: isEnd) { keys.append(piece) }
  }

  private mutating func decodeAfterEscape(_ byte: UInt8, _ keys: inout [Key]) {
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
      decodeText(byte, &keys)
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

/// The sequences of xterm (ctlseqs, "PC-Style Function Keys"), and different ones of rxvt and
/// the Linux console.
extension KeyDecoder {
  /// Handles a byte of a control sequence: ESC `[`, parameters, final byte.
  private mutating func decodeControl(_ byte: UInt8, after parameters: [UInt8], _ keys: inout [Key])
  {
    switch byte {
    case UInt8(ascii: "[") where parameters.isEmpty:
      // F1 to F5 of the Linux console: one more byte follows.
      state = .skipping(1)
    case UInt8(ascii: "M") where parameters.isEmpty:
      // X10 mouse report: a button and two coordinates.
      state = .skipping(3)
    case 0x20..<0x40:
      state = .control(parameters.count < Self.parameterLimit ? parameters + [byte] : parameters)
    case 0x40..<0x7F:
      state = .ground
      finish(byte, parameters, &keys)
    default:
      // Not part of a sequence, but the beginning of a character.
      state = .ground
      decodeText(byte, &keys)
    }
  }

  /// Handles a byte after ESC `O`. Some terminals send digits between them.
  private mutating func decodeSingle(_ byte: UInt8, after parameters: [UInt8], _ keys: inout [Key])
  {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"):
      state = .single(parameters.count < Self.parameterLimit ? parameters + [byte] : parameters)
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      // rxvt with ctrl.
      state = .ground
      if let name = Key.Name(final: byte - 0x20) { keys.append(.named(name, .control)) }
    case UInt8(ascii: "M"):
      state = .ground
      keys.append(.named(.enter))
    case UInt8(ascii: "j")...UInt8(ascii: "y"):
      // The keypad in application mode, which the device may have switched on: `*` to `9`.
      state = .ground
      keys.append(.character(Unicode.Scalar(byte - 0x40)))
    case 0x80...:
      state = .ground
      decodeText(byte, &keys)
    default:
      state = .ground
      if let name = Key.Name(final: byte) {
        // The parameters may consist of the modifiers alone.
        let numbers = Self.numbers(parameters)
        keys.append(.named(name, Key.Modifiers(parameter: numbers?.last ?? nil)))
      }
    }
  }

  private mutating func finish(_ final: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
    guard let numbers = Self.numbers(parameters) else { return }
    let modifiers = Key.Modifiers(parameter: numbers.count > 1 ? numbers[1] : nil)
    switch final {
    case UInt8(ascii: "~"):
      if numbers[0] == 200 {
        state = .paste
      } else if let name = Key.Name(number: numbers[0]) {
        keys.append(.named(name, modifiers))
      }
    case UInt8(ascii: "^"):
      // rxvt with ctrl.
      if let name = Key.Name(number: numbers[0]) { keys.append(.named(name, .control)) }
    case UInt8(ascii: "Z"):
      keys.append(.backTab)
    case UInt8(ascii: "a")...UInt8(ascii: "d") where parameters.isEmpty:
      // rxvt with shift. With parameters, these are other reports.
      if let name = Key.Name(final: final - 0x20) { keys.append(.named(name, .shift)) }
    default:
      if let name = Key.Name(final: final) { keys.append(.named(name, modifiers)) }
    }
  }

  /// The numbers between semicolons, at least one, with nil for an omitted one; nil for anything
  /// else, such as private parameters.
  private static func numbers(_ parameters: [UInt8]) -> [Int?]? {
    guard parameters.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x3B }) else { return nil }
    return parameters.split(separator: 0x3B, omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) }
  }
}

extension Key.Name {
  /// The key of a final byte.
  fileprivate init?(final: UInt8) {
    switch final {
    case UInt8(ascii: "A"): self = .up
    case UInt8(ascii: "B"): self = .down
    case UInt8(ascii: "C"): self = .right
    case UInt8(ascii: "D"): self = .left
    case UInt8(ascii: "H"): self = .home
    case UInt8(ascii: "F"): self = .end
    default: return nil
    }
  }

  /// The key of a number before `~`.
  fileprivate init?(number: Int?) {
    switch number {
    case 1, 7: self = .home
    case 2: self = .insert
    case 3: self = .delete
    case 4, 8: self = .end
    case 5: self = .pageUp
    case 6: self = .pageDown
    default: return nil
    }
  }
}

extension Key.Modifiers {
  /// The modifiers from xterm's parameter, which is the sum of their bits plus one. Meta
  /// counts as alt.
  fileprivate init(parameter: Int?) {
    guard let parameter, (2...16).contains(parameter) else {
      self = []
      return
    }
    let bits = UInt8(parameter - 1)
    self.init(rawValue: bits & 7 | (bits & 8) >> 2)
  }
}
