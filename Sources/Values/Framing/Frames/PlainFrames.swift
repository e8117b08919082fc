/// The frames of a format without a check, or whose check its framing does itself.
///
/// Delimiters without a frame belong to the frame after them: many senders begin a frame with one.
struct PlainFrames<Format: Framing>: Framing {
  private var format: Format
  private let content: @Sendable (Format.Frame) -> [UInt8]
  /// The number of delimiters before the frame.
  private var leadingCount = 0

  /// The most delimiters before a frame; more are stray bytes.
  private static var leadingLimit: Int { 4_096 }

  /// - Parameter content: the bytes of a frame, without delimiters and escapes.
  init(_ format: Format, content: @escaping @Sendable (Format.Frame) -> [UInt8]) {
    (self.format, self.content) = (format, content)
  }

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
      case .frame(let frame, let length):
        return .frame(DecodedFrame(content: content(frame)), length: takeLeading() + length)
      }
    }
  }

  private mutating func takeLeading() -> Int {
    defer { leadingCount = 0 }
    return leadingCount
  }
}

extension PlainFrames where Format.Frame == [UInt8] {
  init(_ format: Format) { self.init(format) { $0 } }
}
