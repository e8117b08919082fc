/// Extracts the text of single lines, as a screen has it; see ``LineReader``. A line of plain text
/// is not copied.
public struct LineText {
  private var decoded: [UInt8] = []
  private let decode: ((UnsafeRawBufferPointer, inout [UInt8]) -> Void)?

  /// Creates a reader.
  ///
  /// - Parameter decode: converts the bytes of a line to UTF-8, and appends them; nil if they
  ///   are UTF-8.
  public init(decode: ((UnsafeRawBufferPointer, inout [UInt8]) -> Void)? = nil) {
    self.decode = decode
  }

  /// Calls a function with the text of a line, in UTF-8. The bytes are valid during the call.
  ///
  /// - Parameter isUTF8: whether the line needs no conversion.
  public mutating func with<Result>(
    _ line: UnsafeRawBufferPointer, isUTF8: Bool = false,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    guard !isUTF8, let decode else { return withText(of: line, body) }
    decoded.removeAll(keepingCapacity: true)
    decode(line, &decoded)
    // A copy, because the reader changes meanwhile.
    let text = decoded
    return text.withUnsafeBytes { withText(of: $0, body) }
  }

  private mutating func withText<Result>(
    of line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var end = line.count
    while end > 0, line[end - 1] == .lineFeed || line[end - 1] == .carriageReturn { end -= 1 }
    let content = UnsafeRawBufferPointer(rebasing: line[..<end])
    if Self.isPlain(content) { return body(content) }
    var reader = LineReader(limit: .max, onReturn: .overwrites)
    var index = 0
    while reader.next(in: content, from: &index) != nil {}
    reader.finish()
    return reader.withText(body)
  }

  /// Whether all bytes are printable ASCII or tabs.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = PlainText.printableEnd(in: bytes, from: 0)
    while index < bytes.count, bytes[index] == .tab {
      index = PlainText.printableEnd(in: bytes, from: index + 1)
    }
    return index == bytes.count
  }
}
