import Framing

/// No frames at all: whatever has arrived, as one piece.
struct AvailableBytes: Framing {
  /// The most bytes of a piece, at least 1.
  var limit = 65_536

  func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<[UInt8]> {
    let length = min(bytes.byteCount, limit)
    let piece = bytes.extracting(first: length).withUnsafeBytes { Array($0) }
    return length == 0 ? .incomplete : .frame(piece, length: length)
  }
}

/// A number of bytes, which are no frame: a loss in between does not matter.
struct ExactBytes: Framing {
  /// The number of bytes, at least 1.
  let count: Int

  func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<[UInt8]> {
    guard bytes.byteCount >= count else { return .incomplete }
    let piece = bytes.extracting(first: count).withUnsafeBytes { Array($0) }
    return .frame(piece, length: count)
  }
}
