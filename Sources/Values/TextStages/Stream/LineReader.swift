import TextTools

/// Reads what a device sends as lines of text, as a screen has them; see ``LiveLine``.
///
/// LF ends a line. CR LF, LF CR and CR CR LF are one end. A CR alone moves to the beginning of the
/// line, and what follows overwrites it; but a device that has sent no LF so far ends its lines
/// with CR. A CR in an empty line does nothing.
///
/// The text has no escape sequences and no control characters, except tabs. Bytes that are not
/// UTF-8 become U+FFFD. What is malformed is text, as on the screen; see ``Tokenizer``.
public struct LineReader: Sendable {
  /// What a CR in a line does.
  public enum ReturnRule: Sendable {
    /// It ends the line until the first LF has come, and overwrites it from then on.
    case overwritesOnceFed
    /// The line is overwritten.
    case overwrites
    /// The line ends: Enter sends CR.
    case ends
  }

  /// What has happened to the line.
  public enum Event: Hashable, Sendable {
    /// It is complete.
    case ended
    /// It has reached the maximum length. What follows is the rest of it.
    case cut
    /// A CR has moved to its beginning. What follows may overwrite it. It is not reported if the
    /// piece has an LF behind it.
    case returned
  }

  private let rule: ReturnRule
  private let limit: Int
  private var tokenizer = Tokenizer()
  private var sets = CharacterSets()
  private var line = LiveLine()
  /// Whether the line was returned, and the next one begins.
  private var isOver = false
  /// The character behind the place where a line was cut.
  private var nextCharacter: [UInt8] = []
  /// Whether an LF has come.
  private var isFed = false
  /// Whether a CR has ended the last line, and no text has come since.
  private var hasEndedByReturn = false

  /// The maximum length of a line, in bytes.
  public static let lineLimit = 4_096

  /// Creates a reader for the beginning of a stream.
  ///
  /// - Parameters:
  ///   - limit: the length in bytes above which a line is cut, at least 4.
  ///   - rule: what a CR does.
  public init(limit: Int = lineLimit, onReturn rule: ReturnRule = .overwritesOnceFed) {
    (self.limit, self.rule) = (limit, rule)
  }

  /// Whether the line is empty: nothing has come since its beginning.
  public var isEmpty: Bool { line.isEmpty }

  /// Calls a closure with the text of the line so far.
  public func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    line.withText(body)
  }

  /// The text of the line so far.
  public var text: String { withText { String(decoding: $0, as: UTF8.self) } }

  /// Begins an empty line. An incomplete sequence or character continues.
  public mutating func clear() {
    line.clear()
    (isOver, hasEndedByReturn) = (false, false)
  }

  /// Reads up to the next event. Until the next call the line is the one that it is about.
  ///
  /// - Parameters:
  ///   - piece: a piece of the stream. Read it until nil is returned.
  ///   - index: where to begin. It moves behind the event.
  /// - Returns: nil at the end of the piece.
  public mutating func next(in piece: UnsafeRawBufferPointer, from index: inout Int) -> Event? {
    if isOver { line.clear() }
    isOver = false
    if !nextCharacter.isEmpty {
      let character = nextCharacter
      nextCharacter = []
      character.withUnsafeBytes { write(text: $0) }
    }
    while let token = tokenizer.next(in: piece, from: &index) {
      let event = token.withBytes(in: piece) { read(token.kind, $0, of: piece, &index) }
      if let event {
        isOver = event != .returned
        return event
      }
    }
    return nil
  }

  /// Reads an incomplete sequence or character as text: the end of the stream. The line stays open.
  public mutating func finish() {
    guard let token = tokenizer.flush() else { return }
    token.withBytes { write(token.kind, $0) }
  }

  /// The lines of a text, with the last one if it is not empty.
  public static func lines(of bytes: UnsafeRawBufferPointer) -> [String] {
    var (reader, lines, index) = (LineReader(), [String](), 0)
    while let event = reader.next(in: bytes, from: &index) {
      if event != .returned { lines.append(reader.text) }
    }
    reader.finish()
    return reader.isEmpty ? lines : lines + [reader.text]
  }

  // MARK: Tokens

  private mutating func read(
    _ kind: Tokenizer.Kind, _ bytes: UnsafeRawBufferPointer, of piece: UnsafeRawBufferPointer,
    _ index: inout Int
  ) -> Event? {
    switch (kind, bytes[0]) {
    case (.control, .lineFeed): return feed()
    // An LF cuts off a sequence in which the CR is.
    case (.control, .carriageReturn)
    where index < piece.count && piece[index] == .lineFeed && !tokenizer.isWaiting:
      index += 1
      return feed()
    case (.control, .carriageReturn):
      if line.isEmpty || rule == .overwrites || rule == .overwritesOnceFed && isFed {
        let isAtText = !line.isEmpty && !line.isReturned
        line.returnCursor()
        return isAtText ? .returned : nil
      }
      hasEndedByReturn = true
      return .ended
    case (.text, _):
      hasEndedByReturn = false
      let count = fittingCount(of: bytes)
      if count > 0 { write(text: UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
      guard count < bytes.count else { return nil }
      // The next character can have begun in an earlier piece.
      let next = bytes[(count + 1)...].prefix { $0 & 0xC0 == 0x80 }.count + 1
      nextCharacter = Array(bytes[count...].prefix(next))
      index -= bytes.count - count - next
      return .cut
    default: write(kind, bytes)
    }
    return line.count > limit ? .cut : nil
  }

  private mutating func feed() -> Event? {
    let isSameEnd = hasEndedByReturn && line.isEmpty
    (isFed, hasEndedByReturn) = (true, false)
    return isSameEnd ? nil : .ended
  }

  /// The number of bytes of whole characters that the line has room for.
  private func fittingCount(of text: UnsafeRawBufferPointer) -> Int {
    // A character of another set has three bytes.
    let room = max(0, limit - line.count) / (sets.isASCII ? 1 : 3)
    return PlainText.wholeCharacters(of: text, atMost: room)
  }

  private mutating func write(_ kind: Tokenizer.Kind, _ bytes: UnsafeRawBufferPointer) {
    switch (kind, bytes[0]) {
    case (.text, _): write(text: bytes)
    case (.control, .backspace): line.backspace()
    case (.control, .tab): line.tab()
    case (.control, .verticalTab), (.control, .formFeed): line.leaveRow()
    case (.escape, _):
      if sets.obey(bytes) { break }
      switch bytes.count == 2 ? Unicode.Scalar(bytes[1]) : " " {
      case "7": sets.save()
      case "8": sets.restore()
      // RIS.
      case "c": sets = CharacterSets()
      default: break
      }
      line.handle(escape: bytes)
    case (.sequence, _):
      guard let sequence = ControlSequence(bytes) else { break }
      switch sequence.function {
      case .savesCursor: sets.save()
      case .restoresCursor: sets.restore()
      case .softReset: sets.reset()
      default: break
      }
      line.handle(sequence)
    // Of the two kinds of marks, C1 is U+0080 to U+009F.
    case (.invalid, _), (.mark, 0xC2): write("\u{FFFD}")
    case (.mark, _): line.write(bytes)
    case (.malformed, _):
      write("^[")
      write(contentOf: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    case (.control, _): _ = sets.obey(bytes)
    case (.string, _): break
    }
  }

  /// Writes complete characters, in the character set that the device has chosen.
  private mutating func write(text: UnsafeRawBufferPointer) {
    if sets.isASCII { return line.write(text) }
    var translated = String.UnicodeScalarView()
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      translated.append(sets.translate(scalar))
    }
    Array(String(translated).utf8).withUnsafeBytes { line.write($0) }
  }

  private mutating func write(_ text: StaticString) {
    line.write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes the rest of a malformed sequence or string, which has no line end.
  private mutating func write(contentOf bytes: UnsafeRawBufferPointer) {
    var (tokenizer, index) = (Tokenizer(), 0)
    while let token = tokenizer.next(in: bytes, from: &index) ?? tokenizer.flush() {
      token.withBytes(in: bytes) { write(token.kind, $0) }
    }
  }
}
