/// The frames of a format without a check, or whose check its framing does itself.
///
/// Delimiters without a frame belong to the frame after them: many senders begin a frame with one.
struct PlainFrames<Format: Framing<[UInt8]>>: Framing {
  private var format: Format
  /// The number of delimiters before the frame.
  private var leadingCount = 0

  /// The most delimiters before a frame; more are stray bytes.
  private static var leadingLimit: Int { 4_096 }

  /// - Parameter format: its frames are bytes without delimiters and escapes.
  init(_ format: Format) { self.format = format }

  var silence: Duration? { format.silence }

  mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    var searched = max(0, searched - leadingCount)
    while true {
      let rest = bytes.extracting(droppingFirst: leadingCount)
      let found = format.search(rest, searched: searched, isEnd: isEnd)
      searched = 0
      switch found {
      case .skip(let length) where leadingCount < Self.leadingLimit: leadingCount += length
      case .incomplete where !isEnd && leadingCount < Self.leadingLimit: return .incomplete
      case .incomplete where leadingCount == 0: return .incomplete
      case .incomplete: return .rest(length: takeLeading())
      case .skip(let length), .rest(let length): return .rest(length: takeLeading() + length)
      case .damaged(let damage, let length):
        return .damaged(damage, length: takeLeading() + length)
      case .frame(let content, let length):
        return .frame(DecodedFrame(content: content), length: takeLeading() + length)
      }
    }
  }

  private mutating func takeLeading() -> Int {
    defer { leadingCount = 0 }
    return leadingCount
  }
}
