package import TextStages

/// A frame with its bytes and what its decoder says about them.
public struct CheckedFrame: Hashable, Sendable {
  /// The bytes as they were on the line, with delimiters and checksum.
  public internal(set) var bytes: [UInt8]
  /// What the decoder says.
  public let decoded: DecodedFrame

  /// The bytes without delimiters and escapes; all bytes if ``DecodedFrame/content`` is nil.
  public var content: [UInt8] { decoded.content ?? bytes }

  package init(_ bytes: [UInt8], _ decoded: DecodedFrame) {
    (self.bytes, self.decoded) = (bytes, decoded)
  }
}

/// A framing whose frames have their check and their meaning: `.modbusRTU`, `.modbusASCII`,
/// `.nmea`.
///
/// ```swift
/// for try await frame in port.frames(by: .modbusRTU) where frame.decoded.check == .good {
///   print(frame.decoded.meaning ?? "")
/// }
/// ```
///
/// Nothing is hidden: a damaged frame is a frame with a check that is bad, and bytes between frames
/// are a frame that is stray.
public struct CheckedFraming: Framing {
  private var format: any Framing<DecodedFrame>

  init(_ format: any Framing<DecodedFrame>) { self.format = format }

  /// Creates the framing that a user chose.
  ///
  /// - Parameter direction: the direction of the bytes; nil if both are mixed or unknown.
  package init(_ form: ChosenFrameForm, _ direction: Direction? = nil) {
    self.init(form.format(direction))
  }

  public var silence: Duration? { format.silence }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<CheckedFrame> {
    if bytes.isEmpty { return .incomplete }
    switch format.search(bytes, searched: searched, isEnd: isEnd) {
    case .incomplete where isEnd:
      return frame(.stray, bytes.byteCount, of: bytes)
    case .incomplete: return .incomplete
    case .frame(let decoded, let length): return frame(decoded, length, of: bytes)
    case .damaged(let damage, let length):
      return frame(DecodedFrame(check: .bad("\(damage)")), length, of: bytes)
    case .skip(let length), .rest(let length): return frame(.stray, length, of: bytes)
    }
  }

  private func frame(
    _ decoded: DecodedFrame, _ length: Int, of bytes: RawSpan
  ) -> FrameSearch<CheckedFrame> {
    let bytes = bytes.extracting(first: length).withUnsafeBytes { Array($0) }
    return .frame(CheckedFrame(bytes, decoded), length: length)
  }
}
