import Posix

/// Reads bytes with the kernel's error marks in pieces of any size: keeps the beginning of a mark
/// until its rest is read. See ``ErrorMarkDecoder``.
struct ErrorMarkReader {
  /// The beginning of a mark, 0 to 2 bytes.
  private var unfinished: [UInt8] = []

  /// Reads once.
  ///
  /// - Parameters:
  ///   - buffer: the memory to read into.
  ///   - isLast: whether the rest of a mark will not come; its beginning is returned as data then,
  ///     before the end of file or an error.
  ///   - read: reads bytes into a part of the buffer.
  mutating func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool,
    from read: (UnsafeMutableRawBufferPointer) throws(SerialError) -> ReadOutcome
  ) throws(SerialError) -> LinkInput {
    buffer.copyBytes(from: unfinished)
    let outcome: ReadOutcome
    do throws(SerialError) {
      outcome = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[unfinished.count...]))
    } catch {
      if isLast, let rest = takeUnfinished() { return rest }
      throw error
    }
    if case .bytes(let count) = outcome {
      return decode(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(unfinished.count + count)]))
    }
    if isLast, let rest = takeUnfinished() { return rest }
    return outcome == .endOfFile ? .endOfFile : .wouldBlock
  }

  private mutating func decode(_ bytes: UnsafeMutableRawBufferPointer) -> LinkInput {
    var decoder = ErrorMarkDecoder(bytes)
    var count = 0
    var errors: [LinkInput.MarkedError] = []
    while let piece = decoder.next() {
      switch piece {
      case .bytes(let range):
        // Closes the gap that a mark has left.
        UnsafeMutableRawBufferPointer(rebasing: bytes[count..<(count + range.count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
        count += range.count
      case .error(let error): errors.append(.init(at: count, error))
      }
    }
    unfinished = Array(bytes[decoder.unfinished])
    return .bytes(count, errors: errors)
  }

  /// The beginning of a mark as data; it is in the buffer.
  private mutating func takeUnfinished() -> LinkInput? {
    let count = unfinished.count
    unfinished = []
    return count > 0 ? .bytes(count) : nil
  }
}
