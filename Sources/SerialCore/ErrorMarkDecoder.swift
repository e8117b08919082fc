/// Removes the kernel's error marks from received bytes, in place.
///
/// With PARMRK, a byte with an error is read with `FF 00` before it, a break as `FF 00 00`, and a
/// byte FF without an error as `FF FF`. See termios(3), and `n_tty_receive_char` and
/// `n_tty_receive_parity_error` of the kernel. A read may end inside a mark: put the ``unfinished``
/// bytes before those that are read next.
///
/// The byte with the error stays in the data, after the error: the bytes are the same with marks
/// and without, and code that ignores errors loses none.
struct ErrorMarkDecoder: IteratorProtocol {
  /// The next part of the data.
  enum Piece: Equatable {
    /// Bytes, as their range in the buffer.
    case bytes(Range<Int>)
    /// The error of the byte that follows.
    case error(LineError)
  }

  private static let mark: UInt8 = 0xFF

  private let buffer: UnsafeMutableRawBufferPointer
  /// The index of the next byte.
  private var index = 0
  /// Whether the next byte is the one with the error, which is never a mark.
  private var isMarked = false

  /// Starts with the bytes that were read. ``next()`` changes them.
  init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

  /// What is left after the last piece: the beginning of a mark, 0 to 2 bytes.
  var unfinished: Range<Int> { index..<buffer.count }

  /// The next piece; nil when the rest is ``unfinished``.
  mutating func next() -> Piece? {
    let start = index
    var end = start
    func keep(_ byte: UInt8, _ length: Int) {
      buffer[end] = byte
      end += 1
      index += length
    }
    while index < buffer.count {
      let byte = buffer[index]
      if byte != Self.mark || isMarked {
        isMarked = false
        keep(byte, 1)
        continue
      }
      guard index + 1 < buffer.count else { break }
      switch buffer[index + 1] {
      case Self.mark: keep(byte, 2)
      case 0:
        guard end == start else { return .bytes(start..<end) }
        guard index + 2 < buffer.count else { return nil }
        index += 2
        isMarked = true
        return .error(buffer[index] == 0 ? .breakOrDamagedZero : .damaged(buffer[index]))
      // The kernel writes no such pair: the byte was received before marks were asked for.
      default: keep(byte, 1)
      }
    }
    return end > start ? .bytes(start..<end) : nil
  }
}
