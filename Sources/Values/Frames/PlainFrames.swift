import Framing

/// The frames of a format without a check, or whose check its framing does itself.
struct PlainFrames<Format: Framing>: Framing {
  private var format: Format
  private let content: @Sendable (Format.Frame) -> [UInt8]

  /// - Parameter content: the bytes of a frame, without delimiters and escapes.
  init(_ format: Format, content: @escaping @Sendable (Format.Frame) -> [UInt8]) {
    (self.format, self.content) = (format, content)
  }

  var silence: Duration? { format.silence }

  mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    format.search(bytes, searched: searched, isEnd: isEnd).map { frame, length in
      .frame(DecodedFrame(content: content(frame)), length: length)
    }
  }
}

extension PlainFrames where Format.Frame == [UInt8] {
  init(_ format: Format) { self.init(format) { $0 } }
}
