/// Frames that end with a silence on the line, as in Modbus RTU.
///
/// The program measures the silence, not the adapter. An adapter or a network that delivers
/// bytes in groups can hide a short silence, or add one. The default latency timer of FTDI
/// adapters is 16 ms.
public struct SilenceFraming: Framing, Hashable {
  /// The silence at the end of a frame.
  public let gap: Duration
  /// The maximum length of a frame in bytes.
  public let limit: Int
  /// Whether the bytes up to the silence belong to a frame that was too long.
  private var isSkipping = false

  /// - Parameters:
  ///   - gap: The silence at the end of a frame.
  ///   - limit: The maximum length of a frame in bytes.
  /// - Precondition: `gap` and `limit` are greater than 0.
  public init(_ gap: Duration, limit: Int = 65_536) {
    precondition(gap > .zero && limit > 0, "a gap and a limit are greater than 0")
    self.gap = gap
    self.limit = limit
  }

  public var silence: Duration? { gap }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<[UInt8]> {
    let count = bytes.byteCount
    if isSkipping {
      if isEnd { isSkipping = false }
      // One byte must stay in the caller's buffer, so that the caller waits for the silence.
      let length = isEnd ? count : count - 1
      return length > 0 ? .rest(length: length) : .incomplete
    }
    if count > limit {
      isSkipping = true
      return .damaged(.tooLong(limit: limit), length: limit)
    }
    return isEnd && count > 0 ? .frame(Array(bytes), length: count) : .incomplete
  }

  /// The silence between frames of Modbus RTU: 3.5 characters of 11 bits; 1.75 ms
  /// above 19,200 baud.
  ///
  /// Source: "MODBUS over Serial Line Specification and Implementation Guide V1.02", 2.5.1.1.
  ///
  /// - Precondition: `baudRate` is greater than 0.
  public static func modbusGap(baudRate: Int) -> Duration {
    precondition(baudRate > 0, "a baud rate is greater than 0")
    return baudRate > 19_200
      ? .microseconds(1_750) : .nanoseconds(Int64(38_500_000_000) / Int64(baudRate))
  }
}

extension SilenceFraming {
  public func hasSameFormat(as other: SilenceFraming) -> Bool {
    gap == other.gap && limit == other.limit
  }
}

extension Framing where Self == SilenceFraming {
  /// Frames that end with a silence; see ``SilenceFraming``.
  public static func silence(_ gap: Duration, limit: Int = 65_536) -> SilenceFraming {
    SilenceFraming(gap, limit: limit)
  }

  /// Frames of Modbus RTU, with their checksums and of at most 256 bytes;
  /// see ``SilenceFraming/modbusGap(baudRate:)``.
  public static func modbusRTU(baudRate: Int) -> SilenceFraming {
    SilenceFraming(SilenceFraming.modbusGap(baudRate: baudRate), limit: 256)
  }
}
