import TextTools

/// Extracts the text from a device's bytes: removes escape sequences, and all control characters
/// except tabs and line ends.
///
/// CR, LF and CRLF end a line. Bytes that are not UTF-8 become U+FFFD. What is malformed is text,
/// as on the screen; see ``Tokenizer``.
public struct SequenceStripper: Sendable {
  private var tokenizer = Tokenizer()
  private var isReturned = false

  /// Creates a stripper for the beginning of a stream.
  public init() {}

  /// Strips a piece and appends the result.
  public mutating func strip(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    var index = 0
    while let token = tokenizer.next(in: bytes, from: &index) {
      token.withBytes(in: bytes) { handle(token.kind, $0, into: &output) }
    }
  }

  /// Appends the text of an incomplete sequence or character: the end of a line or of the stream.
  public mutating func finish(into output: inout [UInt8]) {
    guard let token = tokenizer.flush() else { return }
    token.withBytes { handle(token.kind, $0, into: &output) }
  }

  private mutating func handle(
    _ kind: Tokenizer.Kind, _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) {
    let wasReturned = isReturned
    isReturned = kind == .control && bytes[0] == .carriageReturn
    switch kind {
    case .text: output.append(contentsOf: bytes)
    case .control:
      switch bytes[0] {
      case .carriageReturn: output.append(.lineFeed)
      case .lineFeed: if !wasReturned { output.append(.lineFeed) }
      case .tab: output.append(.tab)
      default: break
      }
    case .escape, .sequence, .string: break
    case .invalid: output.append("\u{FFFD}")
    // Of the two kinds, C1 is U+0080 to U+009F.
    case .mark where bytes.count == 2 && bytes[0] == 0xC2: output.append("\u{FFFD}")
    case .mark: output.append(contentsOf: bytes)
    case .malformed: appendText(ofMalformed: bytes, into: &output)
    }
  }

  private func appendText(ofMalformed bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    output.append("^[")
    var nested = SequenceStripper()
    nested.strip(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()), into: &output)
    nested.finish(into: &output)
  }
}
