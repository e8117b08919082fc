/// Frames that a silence on the line ends, as in Modbus RTU.
///
/// The silence is measured where the bytes arrive. An adapter or a network that delivers bytes in groups
/// hides a short silence and can make one: the latency timer of FTDI adapters is 16 ms if it is not set.
public struct SilenceFraming: Framing, Hashable {
  /// The silence that ends a frame.
  public let gap: Duration
  /// The most bytes of a frame.
  public let limit: Int
  /// Whether the bytes up to the silence are the rest of a frame that was too long.
  private var isSkipping = false

  /// - Parameters:
  ///   - gap: The silence that ends a frame.
  ///   - limit: The most bytes of a frame.
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
      // A byte stays, so that there is something that the silence can end.
      let length = isEnd ? count : count - 1
      return length > 0 ? .skip(length: length) : .incomplete
    }
    if count > limit {
      isSkipping = true
      return .damaged(.tooLong(limit: limit), length: limit)
    }
    return isEnd && count > 0 ? .frame(Array(bytes), length: count) : .incomplete
  }

  /// The silence between frames of Modbus RTU: 3.5 characters of 11 bits, and 1.75 ms above 19,200 baud.
  ///
  /// See "MODBUS over Serial Line Specification and Implementation Guide V1.02", 2.5.1.1.
  ///
  /// - Precondition: `baudRate` is greater than 0.
  public static func modbusGap(baudRate: Int) -> Duration {
    precondition(baudRate > 0, "a baud rate is greater than 0")
    return baudRate > 19_200
      ? .microseconds(1_750) : .nanoseconds(Int64(38_500_000_000) / Int64(baudRate))
  }
}

extension Framing where Self == SilenceFraming {
  /// Frames that a silence ends; see ``SilenceFraming``.
  public static func silence(_ gap: Duration, limit: Int = 65_536) -> SilenceFraming {
    SilenceFraming(gap, limit: limit)
  }

  /// Frames of Modbus RTU with their checksum, of 256 bytes at most; see
  /// ``SilenceFraming/modbusGap(baudRate:)``.
  public static func modbusRTU(baudRate: Int) -> SilenceFraming {
    SilenceFraming(SilenceFraming.modbusGap(baudRate: baudRate), limit: 256)
  }
}
