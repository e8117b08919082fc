import Posix

/// Reads bytes with the kernel's error marks in pieces of any size: keeps the beginning of a mark until
/// its rest is read. See ``ErrorMarkDecoder``.
struct ErrorMarkReader {
  /// The beginning of a mark, 0 to 2 bytes.
  private var unfinished: [UInt8] = []

  /// Reads once.
  ///
  /// - Parameters:
  ///   - buffer: the memory to read into.
  ///   - isLast: whether the rest of a mark will not come; what there is of it counts as data then.
  ///   - read: reads bytes into a part of the buffer.
  ///   - take: called with each part; returns whether to go on.
  mutating func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool,
    from read: (UnsafeMutableRawBufferPointer) throws(SerialError) -> ReadOutcome,
    _ take: (LinkInput) -> Bool
  ) throws(SerialError) -> ReadOutcome {
    buffer.copyBytes(from: unfinished)
    let outcome: ReadOutcome
    do throws(SerialError) {
      outcome = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[unfinished.count...]))
    } catch {
      if isLast { giveUp(in: buffer, take) }
      throw error
    }
    if case .bytes(let count) = outcome {
      decode(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(unfinished.count + count)]), take)
    } else if isLast {
      giveUp(in: buffer, take)
    }
    return outcome
  }

  private mutating func decode(
    _ bytes: UnsafeMutableRawBufferPointer, _ take: (LinkInput) -> Bool
  ) {
    unfinished = []
    var decoder = ErrorMarkDecoder(bytes)
    while let piece = decoder.next() {
      let goesOn =
        switch piece {
        case .bytes(let range): take(.bytes(UnsafeRawBufferPointer(rebasing: bytes[range])))
        case .error(let error): take(.error(error))
        }
      guard goesOn else { return }
    }
    unfinished = Array(bytes[decoder.unfinished])
  }

  private mutating func giveUp(
    in buffer: UnsafeMutableRawBufferPointer, _ take: (LinkInput) -> Bool
  ) {
    let count = unfinished.count
    guard count > 0 else { return }
    unfinished = []
    _ = take(.bytes(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
  }
}
