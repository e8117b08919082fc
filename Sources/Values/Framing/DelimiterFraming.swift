/// Frames that end with a delimiter of any length.
///
/// A frame can be empty. At the end, bytes without a delimiter are damage.
public struct DelimiterFraming: FrameEncoding, Hashable {
  /// The bytes at the end of a frame.
  public let delimiter: [UInt8]
  /// Whether a frame includes its delimiter.
  public let keepsDelimiter: Bool
  private var frames: DelimitedSearch

  /// - Parameters:
  ///   - delimiter: The bytes at the end of a frame.
  ///   - keepsDelimiter: Whether a frame includes its delimiter.
  ///   - limit: The maximum length of a frame in bytes, without the delimiter.
  /// - Precondition: `delimiter` is not empty, and `limit` is greater than 0.
  public init(
    _ delimiter: some Sequence<UInt8>, keepsDelimiter: Bool = false, limit: Int = 65_536
  ) {
    self.delimiter = Array(delimiter)
    self.keepsDelimiter = keepsDelimiter
    precondition(!self.delimiter.isEmpty, "a delimiter has at least one byte")
    frames = DelimitedSearch(for: .sequence(self.delimiter), limit: limit)
  }

  /// The maximum length of a frame in bytes, without the delimiter.
  public var limit: Int { frames.limit }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<[UInt8]> {
    bytes.withUnsafeBytes { bytes in
      frames.search(bytes, searched: searched, isEnd: isEnd).map { count, length in
        .frame(Array(bytes[..<(keepsDelimiter ? length : count)]), length: length)
      }
    }
  }

  /// Encodes a frame: appends the delimiter, unless frames include it.
  ///
  /// The frame must not contain the delimiter: the receiver would find two frames.
  public func encode(_ frame: [UInt8]) -> [UInt8] {
    keepsDelimiter ? frame : frame + delimiter
  }
}

extension DelimiterFraming {
  public func hasSameFormat(as other: DelimiterFraming) -> Bool {
    delimiter == other.delimiter && keepsDelimiter == other.keepsDelimiter && limit == other.limit
  }
}

extension Framing where Self == DelimiterFraming {
  /// Frames that end with a delimiter; see ``DelimiterFraming``.
  public static func delimited(
    by delimiter: some Sequence<UInt8>, keepsDelimiter: Bool = false, limit: Int = 65_536
  ) -> DelimiterFraming {
    DelimiterFraming(delimiter, keepsDelimiter: keepsDelimiter, limit: limit)
  }
}
