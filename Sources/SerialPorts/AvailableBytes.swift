import Framing

/// No frames at all: whatever has arrived, as one piece.
struct AvailableBytes: Framing {
  /// The most bytes of a piece.
  var limit = 65_536

  func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<[UInt8]> {
    let length = min(bytes.byteCount, limit)
    let piece = bytes.extracting(first: length).withUnsafeBytes { Array($0) }
    return length == 0 ? .incomplete : .frame(piece, length: length)
  }
}
