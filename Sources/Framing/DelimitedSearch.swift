/// The search for the delimiter behind a frame, with a limit: what framings with delimiters have in common.
///
/// A frame that is too long is reported once, and the rest of it, up to its delimiter, is skipped.
struct DelimitedSearch: Hashable, Sendable {
  /// What ends a frame.
  enum Delimiter: Hashable, Sendable {
    case byte(UInt8)
    case either(UInt8, UInt8)
    /// Must not be empty.
    case sequence([UInt8])

    /// The number of its bytes.
    var count: Int {
      if case .sequence(let bytes) = self { bytes.count } else { 1 }
    }

    /// The offset of the first delimiter that begins at a place or behind it.
    fileprivate func first(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
      var place = start
      switch self {
      case .byte(let byte):
        while place < bytes.count {
          if bytes[place] == byte { return place }
          place += 1
        }
      case .either(let one, let other):
        while place < bytes.count {
          if bytes[place] == one || bytes[place] == other { return place }
          place += 1
        }
      case .sequence(let sequence):
        while place <= bytes.count - sequence.count {
          if bytes[place] == sequence[0], bytes[place...].starts(with: sequence) { return place }
          place += 1
        }
      }
      return nil
    }
  }

  let delimiter: Delimiter
  /// The most bytes before a delimiter.
  let limit: Int
  /// Whether the bytes up to the next delimiter are the rest of a frame that was too long.
  private var isSkipping = false

  /// - Precondition: `limit` is greater than 0.
  init(for delimiter: Delimiter, limit: Int) {
    precondition(limit > 0, "a limit is at least 1")
    self.delimiter = delimiter
    self.limit = limit
  }

  /// Searches for the delimiter. The frame of the result is the number of bytes before it.
  mutating func search(
    _ bytes: UnsafeRawBufferPointer, searched: Int, isEnd: Bool
  ) -> FrameSearch<Int> {
    // A delimiter may have begun in the bytes that were searched, and may begin in the last ones.
    let partial = delimiter.count - 1
    let place = delimiter.first(in: bytes, from: max(0, searched - partial))
    let leastCount = place ?? (isEnd ? bytes.count : bytes.count - partial)
    if isSkipping {
      if place != nil || isEnd { isSkipping = false }
      let length = place.map { $0 + delimiter.count } ?? leastCount
      return length > 0 ? .skip(length: length) : .incomplete
    }
    if leastCount > limit {
      isSkipping = true
      return .damaged(.tooLong(limit: limit), length: limit)
    }
    if let place { return .frame(place, length: place + delimiter.count) }
    return isEnd && !bytes.isEmpty ? .damaged(.unfinished, length: bytes.count) : .incomplete
  }
}
