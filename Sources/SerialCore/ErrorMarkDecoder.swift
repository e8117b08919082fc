/// Takes the kernel's marks for errors out of what was read, in place.
///
/// With PARMRK a byte that came with an error is read as `FF 00` before it, a break as `FF 00 00`,
/// and a byte FF that came without one as `FF FF`. See termios(3), and `n_tty_receive_char` and
/// `n_tty_receive_parity_error` of the kernel. Where reads end, and where they split a mark, makes
/// no difference: what is ``unfinished`` is to be put before what is read next.
///
/// The byte that an error is about stays in the data, behind the error: the bytes are the same with
/// marks and without, and none is lost to who does not care for errors.
struct ErrorMarkDecoder: IteratorProtocol {
  /// What stands next in the data.
  enum Piece: Equatable {
    /// Bytes, where they are in the buffer now.
    case bytes(Range<Int>)
    /// What is said of the byte that follows.
    case error(LineError)
  }

  private static let mark: UInt8 = 0xFF

  private let buffer: UnsafeMutableRawBufferPointer
  /// Where the next byte is.
  private var index = 0
  /// Whether the next byte is the one that an error is about, and no mark whatever it is.
  private var isMarked = false

  /// Begins with what was read, which is changed; see ``next()``.
  init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

  /// What is left when there are no more pieces: the beginning of a mark, 0 to 2 bytes.
  var unfinished: Range<Int> { index..<buffer.count }

  /// The next piece; nil when the rest is ``unfinished``.
  mutating func next() -> Piece? {
    let start = index
    var end = start
    func take(_ byte: UInt8, _ length: Int) {
      buffer[end] = byte
      end += 1
      index += length
    }
    while index < buffer.count {
      let byte = buffer[index]
      if byte != Self.mark || isMarked {
        isMarked = false
        take(byte, 1)
        continue
      }
      guard index + 1 < buffer.count else { break }
      switch buffer[index + 1] {
      case Self.mark: take(byte, 2)
      case 0:
        guard end == start else { return .bytes(start..<end) }
        guard index + 2 < buffer.count else { return nil }
        index += 2
        isMarked = true
        return .error(buffer[index] == 0 ? .breakOrDamagedZero : .damaged(buffer[index]))
      // The kernel writes no such pair: the byte was received before marks were asked for.
      default: take(byte, 1)
      }
    }
    return end > start ? .bytes(start..<end) : nil
  }
}
