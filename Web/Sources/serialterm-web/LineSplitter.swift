import NIOCore

/// Divides a stream of bytes into lines.
///
/// Subprocess has a sequence of lines too. It looks at each byte by itself, which at 64 pages costs more than
/// all else.
struct LineSplitter {
  /// The length of the longest line in bytes.
  let limit: Int
  private var rest = ByteBuffer()

  init(limit: Int) { self.limit = limit }

  /// Adds bytes.
  ///
  /// - Returns: the lines that are complete now, without their ends.
  /// - Throws: ``TooLong``.
  mutating func add(_ bytes: UnsafeRawBufferPointer) throws(TooLong) -> [ByteBuffer] {
    var lines: [ByteBuffer] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      rest.writeBytes(bytes[start..<end])
      lines.append(rest)
      rest = ByteBuffer()
      start = end + 1
    }
    rest.writeBytes(bytes[start...])
    guard rest.readableBytes <= limit else { throw TooLong() }
    return lines
  }

  /// A line is longer than the limit.
  struct TooLong: Error {}
}
