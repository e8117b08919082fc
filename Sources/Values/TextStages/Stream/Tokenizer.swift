import TextTools

/// Divides a device's bytes into text, control characters, escape sequences and strings.
///
/// The states are those of Paul Williams' parser for DEC terminals (https://vt100.net/emu). UTF-8
/// is decoded first, so C1 is a character and never a byte. The tokens do not depend on how the
/// stream is split into pieces, and nothing is copied unless a token is split.
///
/// - A sequence or string that another byte cuts off, or that is too long, is a token of its own:
///   ``Kind/malformed``. A CR or LF cuts off a string: lines are more than titles.
/// - BS, HT, VT, FF and CR in a control sequence are tokens before it, as on a terminal.
public struct Tokenizer: Sendable {
  /// The kind of a token.
  public enum Kind: Hashable, Sendable {
    /// Printable characters, at least one, all complete.
    case text
    /// A control character: C0 or DEL.
    case control
    /// A complete escape sequence: ESC, intermediate bytes, a final byte.
    case escape
    /// A complete control sequence: `ESC [`, parameters, intermediate bytes, a final byte.
    case sequence
    /// A complete string (OSC, DCS, APC, PM, SOS, or a title of screen), with its end.
    case string
    /// A character that is not text: C1, or a mark that changes the direction of text.
    case mark
    /// Bytes that are not UTF-8: one maximal subpart (Unicode standard, 3.9).
    case invalid
    /// A sequence or a string that is cut off or too long. A string of this kind has no end.
    case malformed
  }

  /// A token of a piece.
  public struct Token: Sendable {
    /// The kind.
    public let kind: Kind
    /// Its bytes in the piece; nil if it began in an earlier piece.
    fileprivate var range: Range<Int>?
    /// Its bytes, if it began in an earlier piece.
    fileprivate var held: [UInt8] = []

    /// Calls a closure with the bytes of the token.
    ///
    /// - Parameter piece: the piece in which the token was found; none for ``Tokenizer/flush()``.
    public func withBytes<Result>(
      in piece: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
      _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
      guard let range else { return held.withUnsafeBytes(body) }
      return body(UnsafeRawBufferPointer(rebasing: piece[range]))
    }
  }

  /// The maximum length of an escape or control sequence in bytes.
  public static let longestSequence = 64
  private enum State {
    case ground
    case character(UTF8Character)
    /// After ESC, and any intermediate bytes.
    case escape
    /// After `ESC [`.
    case control
    case string(StringForm)
    /// After ESC in a string.
    case stringEscape
  }

  /// What ends a string.
  private struct StringForm {
    let introducer: UInt8
    /// The number of hexadecimal digits that the string has, if it is a palette of the Linux
    /// console, which has no end: `ESC ] P` and seven digits. Nil for any other string.
    var paletteDigits: Int?
    var last: UInt8 = 0
  }

  /// Whether bytes above 7F are UTF-8. Otherwise each of them, and DEL, is ``Kind/invalid``: a
  /// terminal of the PC shows them by a code page.
  public var decodesUTF8 = true

  private var state = State.ground
  /// The bytes of the incomplete token in earlier pieces.
  private var held: [UInt8] = []
  /// The number of bytes of the sequence or string.
  private var length = 0

  /// The maximum length of a string in bytes.
  private let longestString: Int

  /// Creates a tokenizer for the beginning of a stream.
  ///
  /// - Parameter longestString: the maximum length of a string in bytes.
  public init(longestString: Int = 4_096) { self.longestString = longestString }

  /// Whether a token is incomplete, so that ``flush()`` would return it.
  public var isWaiting: Bool {
    if case .ground = state { false } else { true }
  }

  /// The bytes of the incomplete token.
  var unfinished: [UInt8] { held }

  /// Takes the next token.
  ///
  /// - Parameters:
  ///   - piece: a piece of the stream. Take all of its tokens before those of the next one.
  ///   - index: where the token begins. It moves behind the token.
  /// - Returns: nil at the end of the piece. An incomplete token is held.
  public mutating func next(in piece: UnsafeRawBufferPointer, from index: inout Int) -> Token? {
    guard index < piece.count else { return nil }
    let start = index
    if case .ground = state {
      index = PlainText.textEnd(in: piece, from: start, isUTF8: decodesUTF8)
      if index > start { return Token(kind: .text, range: start..<index) }
    }
    while index < piece.count {
      switch advance(over: piece[index]) {
      case .goesOn: index += 1
      case .ends(let kind):
        index += 1
        return token(kind, start..<index, of: piece)
      case .cuts(let kind): return token(kind, start..<index, of: piece)
      case .isInside:
        held.append(piece, in: start..<index)
        index += 1
        return Token(kind: .control, range: (index - 1)..<index)
      case .cutsString:
        held.append(piece, in: start..<index)
        held.removeLast()
        defer { held.append(.escape) }
        return takeHeld(.malformed)
      }
    }
    held.append(piece, in: start..<index)
    return nil
  }

  /// Ends the incomplete token: a pause, or the end of the stream.
  ///
  /// - Returns: the token; nil if there is none.
  public mutating func flush() -> Token? {
    let kind: Kind
    switch state {
    case .ground: return nil
    case .character: kind = .invalid
    case .escape, .control, .string, .stringEscape: kind = .malformed
    }
    state = .ground
    return takeHeld(kind)
  }

  private mutating func takeHeld(_ kind: Kind) -> Token {
    defer { held = [] }
    return Token(kind: kind, held: held)
  }

  private mutating func token(
    _ kind: Kind, _ range: Range<Int>, of piece: UnsafeRawBufferPointer
  ) -> Token {
    guard !held.isEmpty else { return Token(kind: kind, range: range) }
    held.append(piece, in: range)
    return takeHeld(kind)
  }

  // MARK: States

  /// What a byte does to the token.
  private enum Step {
    case goesOn
    /// It is the last byte of the token.
    case ends(Kind)
    /// It is not part of the token, which ends before it.
    case cuts(Kind)
    /// It is a control character in a control sequence, which goes on.
    case isInside
    /// The ESC before it began a sequence, which cuts off the string.
    case cutsString
  }

  private mutating func advance(over byte: UInt8) -> Step {
    switch state {
    case .ground: return begin(with: byte)
    case .character(var character):
      guard character.append(byte) else { return cut(.invalid) }
      guard character.isComplete else {
        state = .character(character)
        return .goesOn
      }
      return end(character.isText ? .text : .mark)
    case .escape: return advance(afterEscape: byte)
    case .control:
      length += 1
      switch byte {
      case 0x20..<0x40: return length < Self.longestSequence ? .goesOn : end(.malformed)
      case 0x40..<0x7F: return end(.sequence)
      // BS, HT, VT, FF, CR.
      case .backspace, .tab, .verticalTab, .formFeed, .carriageReturn:
        length -= 1
        return .isInside
      default: return cut(.malformed)
      }
    case .string(let form): return advance(over: byte, in: form)
    case .stringEscape:
      if byte == UInt8(ascii: "\\") { return end(.string) }
      state = .escape
      length = 1
      return .cutsString
    }
  }

  private mutating func begin(with byte: UInt8) -> Step {
    if byte == .escape {
      state = .escape
      length = 1
      return .goesOn
    }
    if byte < 0x20 || byte == .delete && decodesUTF8 { return .ends(.control) }
    guard decodesUTF8, let character = UTF8Character(first: byte) else { return .ends(.invalid) }
    state = .character(character)
    return .goesOn
  }

  private mutating func advance(afterEscape byte: UInt8) -> Step {
    length += 1
    switch (byte, length) {
    case (UInt8(ascii: "["), 2): state = .control
    // DCS, SOS, OSC, PM, APC, and the title of screen.
    case (UInt8(ascii: "P"), 2), (UInt8(ascii: "X"), 2), (UInt8(ascii: "]"), 2),
      (UInt8(ascii: "^"), 2), (UInt8(ascii: "_"), 2), (UInt8(ascii: "k"), 2):
      state = .string(StringForm(introducer: byte))
    case (0x20..<0x30, _): return length < Self.longestSequence ? .goesOn : end(.malformed)
    case (0x30..<0x7F, _): return end(.escape)
    default: return cut(.malformed)
    }
    return .goesOn
  }

  private mutating func advance(over byte: UInt8, in form: StringForm) -> Step {
    var form = form
    length += 1
    let isCommand = form.introducer == UInt8(ascii: "]")
    switch byte {
    case .escape:
      state = .stringEscape
      return .goesOn
    case .lineFeed, .carriageReturn, 0x18, 0x1A: return cut(.malformed)
    case .bell where isCommand: return end(.string)
    // ST as a character.
    case 0x9C where form.last == 0xC2: return end(.string)
    // The Linux console's reset of the palette has no end, and neither has its palette.
    case UInt8(ascii: "R") where isCommand && length == 3: return end(.string)
    case UInt8(ascii: "P") where isCommand && length == 3: form.paletteDigits = 0
    default:
      if let count = form.paletteDigits {
        form.paletteDigits = byte.isHexDigit ? count + 1 : nil
        if form.paletteDigits == 7 { return end(.string) }
      }
    }
    form.last = byte
    state = .string(form)
    return length < longestString ? .goesOn : end(.malformed)
  }

  private mutating func end(_ kind: Kind) -> Step {
    state = .ground
    return .ends(kind)
  }

  private mutating func cut(_ kind: Kind) -> Step {
    state = .ground
    return .cuts(kind)
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch Unicode.Scalar(self) {
    case "0"..."9", "a"..."f", "A"..."F": true
    default: false
    }
  }
}
