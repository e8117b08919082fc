/// Bytes that end with a delimiter of any length.
///
/// An empty frame is a frame. Bytes without a delimiter at the end are damage.
public struct DelimiterFraming: FrameEncoding, Hashable {
  /// The bytes that end a frame.
  public let delimiter: [UInt8]
  /// Whether a frame is given with its delimiter.
  public let keepsDelimiter: Bool
  private var frames: DelimitedSearch

  /// - Parameters:
  ///   - delimiter: The bytes that end a frame.
  ///   - keepsDelimiter: Whether a frame is given with its delimiter.
  ///   - limit: The most bytes of a frame, without the delimiter.
  /// - Precondition: `delimiter` is not empty, and `limit` is greater than 0.
  public init(
    _ delimiter: some Sequence<UInt8>, keepsDelimiter: Bool = false, limit: Int = 65_536
  ) {
    self.delimiter = Array(delimiter)
    self.keepsDelimiter = keepsDelimiter
    precondition(!self.delimiter.isEmpty, "a delimiter has at least one byte")
    frames = DelimitedSearch(for: .sequence(self.delimiter), limit: limit)
  }

  /// The most bytes of a frame, without the delimiter.
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

  /// The bytes of a frame with its delimiter, which is not added to a frame that keeps it.
  ///
  /// A delimiter within the frame would end it there for who receives it.
  public func encode(_ frame: [UInt8]) -> [UInt8] {
    keepsDelimiter ? frame : frame + delimiter
  }
}

extension Framing where Self == DelimiterFraming {
  /// Bytes that end with a delimiter; see ``DelimiterFraming``.
  public static func delimited(
    by delimiter: some Sequence<UInt8>, keepsDelimiter: Bool = false, limit: Int = 65_536
  ) -> DelimiterFraming {
    DelimiterFraming(delimiter, keepsDelimiter: keepsDelimiter, limit: limit)
  }
}
