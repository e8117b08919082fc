/// Extracts the text of lines, without line ends, escape sequences and control characters.
///
/// It reuses a buffer, so that a line needs no allocation.
public struct LineText {
  private var buffer: [UInt8] = []

  /// Creates a reader.
  public init() {}

  /// Calls a function with the text of a line, in UTF-8. The bytes are valid during the call.
  public mutating func with<Result>(
    _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    let content = UnsafeRawBufferPointer(rebasing: line[..<end])
    if Self.isPlain(content) { return body(content) }
    buffer.removeAll(keepingCapacity: true)
    var stripper = SequenceStripper()
    stripper.strip(content, into: &buffer)
    // The end of a line may split a character. That is one more invalid byte.
    return buffer.withUnsafeBytes(body)
  }

  /// Whether all bytes are printable ASCII or tabs.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = PlainText.printableEnd(in: bytes, from: 0)
    while index < bytes.count, bytes[index] == 0x09 {
      index = PlainText.printableEnd(in: bytes, from: index + 1)
    }
    return index == bytes.count
  }
}
