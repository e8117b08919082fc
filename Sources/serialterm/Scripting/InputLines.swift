import Framing
import Posix
import SystemPackage

/// The lines that a program writes to standard input, read when bytes arrive.
struct InputLines {
  private var buffer: FrameBuffer<LineFraming>
  /// Whether the input has ended. Lines of it may be left.
  private(set) var hasEnded = false

  /// The maximum number of bytes that are read in a turn of the loop.
  private static let pieceSize = 16_384

  /// - Parameter limit: the maximum length of a line in bytes.
  init(limit: Int) { buffer = FrameBuffer(.lines(limit: limit)) }

  /// Reads what there is, at most once. An input that cannot be read has ended.
  ///
  /// - Returns: whether there are more bytes, or the end.
  mutating func read(from input: FileDescriptor) -> Bool {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { piece.deallocate() }
    switch (try? input.readAvailable(into: piece)) ?? .endOfFile {
    case .bytes(let count): buffer.append(piece[..<count])
    case .wouldBlock: return false
    case .endOfFile: hasEnded = true
    }
    return true
  }

  /// Removes and returns the next line; nil if more bytes are needed, or there is none.
  mutating func next() -> Result<String, FrameDamage>? { buffer.next(isEnd: hasEnded) }
}
