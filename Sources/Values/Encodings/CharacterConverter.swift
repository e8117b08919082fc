import Glibc

/// Converts text from one character encoding to another, piece by piece.
///
/// The state of the conversion stays between pieces: shift states, byte order, characters that wait
/// for a combining mark. A converter belongs to one thread at a time.
///
/// The corresponding C functions are `iconv_open`, `iconv` and `iconv_close`.
package final class CharacterConverter {
  private let descriptor: iconv_t
  /// Receives what a call writes, before it is appended to an array.
  private let room: UnsafeMutableRawBufferPointer

  /// The maximum number of bytes in one call: its result fits into ``room``, except for encodings
  /// whose bytes become many characters.
  private static let pieceSize = 4_096

  /// The reason why a conversion has stopped.
  package enum Stop: Hashable, Sendable {
    /// Everything is converted.
    case end
    /// The bytes that remain are the beginning of a character. Pass them again, with more bytes.
    case incomplete
    /// The bytes that remain do not begin with a character, or with one that the other encoding
    /// does not have. Skip some, and pass the rest.
    case invalid
  }

  /// Creates a converter.
  ///
  /// - Parameters:
  ///   - source: the name of the encoding of the input.
  ///   - destination: the name of the encoding of the output.
  /// - Throws: ``ConverterError``.
  package init(from source: String, to destination: String) throws(ConverterError) {
    let descriptor = iconv_open(destination, source)
    // iconv_open(3) returns (iconv_t)-1 for an error.
    if Int(bitPattern: descriptor) == -1 {
      throw errno == EINVAL ? .unknown : .system(errno)
    }
    guard let descriptor else { throw .unknown }
    self.descriptor = descriptor
    room = .allocate(byteCount: 4 * Self.pieceSize, alignment: 16)
  }

  deinit {
    // It fails only for a bad descriptor.
    iconv_close(descriptor)
    room.deallocate()
  }

  /// Converts bytes, and appends the result to an array.
  ///
  /// - Returns: the number of bytes that were converted, and why the conversion has stopped there.
  package func convert(
    _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) -> (count: Int, stop: Stop) {
    var converted = 0
    while converted < bytes.count {
      let piece = UnsafeRawBufferPointer(
        rebasing: bytes[converted...].prefix(Self.pieceSize))
      let (count, stop) = convertPiece(piece, into: &output)
      converted += count
      switch stop {
      case .end: break
      // The end of a piece can divide a character.
      case .incomplete where count > 0 && converted + (piece.count - count) < bytes.count: break
      case .incomplete, .invalid: return (converted, stop)
      }
    }
    return (converted, .end)
  }

  private func convertPiece(
    _ piece: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) -> (count: Int, stop: Stop) {
    // iconv(3) does not write to its input.
    var next = UnsafeMutableRawPointer(mutating: piece.baseAddress)?
      .assumingMemoryBound(to: CChar.self)
    var rest = piece.count
    while true {
      let before = rest
      let (error, written) = call(&next, &rest, into: &output)
      precondition((0...before).contains(rest), "iconv(3) has read out of bounds")
      switch error {
      case 0: return (piece.count - rest, .end)
      case EINVAL: return (piece.count - rest, .incomplete)
      case E2BIG where written > 0 || rest < before: continue
      // EILSEQ. Without progress, a converter is broken: its input is skipped.
      default: return (piece.count - rest, .invalid)
      }
    }
  }

  /// Appends what waits for more characters and the sequence that returns to the initial state, and
  /// returns to it.
  package func reset(into output: inout [UInt8]) {
    var (next, rest) = (nil as UnsafeMutablePointer<CChar>?, 0)
    _ = call(&next, &rest, into: &output)
  }

  /// Returns to the initial state, and drops what waits.
  package func reset() {
    // Without output, iconv(3) cannot fail.
    iconv(descriptor, nil, nil, nil, nil)
  }

  /// - Returns: errno, or 0, and the number of bytes that were appended.
  private func call(
    _ next: inout UnsafeMutablePointer<CChar>?, _ rest: inout Int, into output: inout [UInt8]
  ) -> (error: CInt, written: Int) {
    var free = room.baseAddress?.assumingMemoryBound(to: CChar.self)
    var freeCount = room.count
    let result =
      next == nil
      ? iconv(descriptor, nil, nil, &free, &freeCount)
      : iconv(descriptor, &next, &rest, &free, &freeCount)
    let error = result == -1 ? errno : 0
    let written = room.count - freeCount
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<written]))
    return (error, written)
  }
}

@available(*, unavailable)
extension CharacterConverter: Sendable {}

/// The reason why there is no converter.
package enum ConverterError: Error, Hashable, Sendable {
  /// The C library knows no conversion between these encodings, or the file that has it is missing.
  case unknown
  /// Another error of iconv_open(3): not enough memory, or too many open files.
  case system(CInt)
}
