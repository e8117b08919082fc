/// The search for the delimiter after a frame, with a limit. All framings with delimiters use it.
///
/// A frame that is too long is reported once. The rest of it, with its delimiter, is skipped.
package struct DelimitedSearch: Hashable, Sendable {
  /// The end of a frame.
  package enum Delimiter: Hashable, Sendable {
    case byte(UInt8)
    case either(UInt8, UInt8)
    /// Must not be empty.
    case sequence([UInt8])

    /// The length in bytes.
    var count: Int {
      if case .sequence(let bytes) = self { bytes.count } else { 1 }
    }

    /// The offset of the first delimiter, not before a start.
    fileprivate func first(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
      switch self {
      case .byte(let byte): return bytes[start...].firstIndex(of: byte)
      case .either(let one, let other):
        return bytes[start...].firstIndex { $0 == one || $0 == other }
      case .sequence(let sequence):
        return stride(from: start, through: bytes.count - sequence.count, by: 1).first {
          bytes[$0] == sequence[0] && bytes[$0...].starts(with: sequence)
        }
      }
    }
  }

  let delimiter: Delimiter
  /// The maximum number of bytes before a delimiter.
  let limit: Int
  /// Whether the bytes up to the next delimiter belong to a frame that was too long.
  package private(set) var isSkipping = false

  /// - Precondition: `limit` is greater than 0.
  package init(for delimiter: Delimiter, limit: Int) {
    precondition(limit > 0, "a limit is at least 1")
    self.delimiter = delimiter
    self.limit = limit
  }

  /// Searches for the delimiter. The frame in the result is the number of bytes
  /// before the delimiter.
  package mutating func search(
    _ bytes: UnsafeRawBufferPointer, searched: Int, isEnd: Bool
  ) -> FrameSearch<Int> {
    // A delimiter can begin in the searched bytes, and it can begin in the last bytes
    // and be incomplete.
    let partial = delimiter.count - 1
    let index = delimiter.first(in: bytes, from: max(0, searched - partial))
    let leastCount = index ?? (isEnd ? bytes.count : bytes.count - partial)
    if isSkipping {
      if index != nil || isEnd { isSkipping = false }
      let length = index.map { $0 + delimiter.count } ?? leastCount
      return length > 0 ? .rest(length: length) : .incomplete
    }
    if leastCount > limit {
      isSkipping = true
      return .damaged(.tooLong(limit: limit), length: limit)
    }
    if let index { return .frame(index, length: index + delimiter.count) }
    return isEnd && !bytes.isEmpty ? .damaged(.unfinished, length: bytes.count) : .incomplete
  }
}
