/// Frames of a fixed length.
///
/// The format does not mark the start of a frame. After a lost byte, only a silence between frames
/// shows the start of the next frame.
public struct FixedLengthFraming: Framing, Hashable {
  /// The length of a frame in bytes.
  public let length: Int
  public let silence: Duration?

  /// - Parameters:
  ///   - length: The length of a frame in bytes.
  ///   - silence: The silence after which an incomplete frame is damage and a new frame begins;
  ///     nil for none.
  /// - Precondition: `length` is greater than 0.
  public init(_ length: Int, silence: Duration? = nil) {
    precondition(length > 0, "a frame has at least one byte")
    self.length = length
    self.silence = silence
  }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<[UInt8]> {
    if bytes.byteCount >= length {
      return .frame(Array(bytes.extracting(first: length)), length: length)
    }
    return isEnd && !bytes.isEmpty ? .damaged(.unfinished, length: bytes.byteCount) : .incomplete
  }
}

/// Frames with a length field.
///
/// A frame is the content after the length field. If there is a header before the length field,
/// a frame is the complete message with header, length and content, because checksums often
/// include the header.
///
/// If the length is greater than the limit, the damage is reported once and the frame is skipped.
/// The format does not mark the start of a frame. After a lost byte, only a silence between frames
/// shows the start of the next frame.
public struct LengthPrefixFraming: FrameEncoding, Hashable {
  /// The byte order of the length field.
  public enum ByteOrder: Hashable, Sendable, CaseIterable {
    /// The most significant byte first.
    case bigEndian
    /// The least significant byte first.
    case littleEndian
  }

  /// The size of the length field in bytes.
  public let width: Int
  /// The byte order of the length field.
  public let byteOrder: ByteOrder
  /// The number to add to the length, to get the number of bytes after the length field.
  public let adjustment: Int
  /// The number of bytes before the length field.
  public let headerLength: Int
  /// The maximum number of bytes after the length field.
  public let limit: Int
  public let silence: Duration?
  /// The number of bytes to skip of a frame that was too long; `Int.max` for all bytes up
  /// to the silence.
  private var rest = 0

  /// - Parameters:
  ///   - type: The type of the length field: `UInt8.self`, `UInt16.self` or `UInt32.self`.
  ///   - byteOrder: The byte order of the length field.
  ///   - adjustment: The number to add to the length, to get the number of bytes after the length
  ///     field. For example -2 if the length includes its own two bytes, or 2 if it does not
  ///     include a checksum of two bytes.
  ///   - headerLength: The number of bytes before the length field. If it is not 0, a frame
  ///     includes the header and the length field.
  ///   - limit: The maximum number of bytes after the length field.
  ///   - silence: The silence after which an incomplete frame is damage and a new frame begins;
  ///     nil for none.
  /// - Precondition: `limit` is greater than 0, `headerLength` is not negative, and the type has at
  ///   most 32 bits.
  public init<Length: FixedWidthInteger & UnsignedInteger>(
    _ type: Length.Type, _ byteOrder: ByteOrder = .bigEndian, adjustment: Int = 0,
    headerLength: Int = 0, limit: Int = 65_536, silence: Duration? = nil
  ) {
    precondition(limit > 0, "a limit is at least 1")
    precondition(headerLength >= 0, "a header has no negative length")
    precondition(Length.bitWidth <= 32, "a length has at most 32 bits")
    width = Length.bitWidth / 8
    self.byteOrder = byteOrder
    self.adjustment = adjustment
    self.headerLength = headerLength
    self.limit = limit
    self.silence = silence
  }

  /// The number of bytes before the content.
  private var prefixLength: Int { headerLength + width }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<[UInt8]> {
    if rest > 0 { return skip(in: bytes.byteCount, isEnd: isEnd) }
    let partial: FrameSearch<[UInt8]> =
      isEnd && !bytes.isEmpty ? .damaged(.unfinished, length: bytes.byteCount) : .incomplete
    guard bytes.byteCount >= prefixLength else { return partial }
    let value = length(in: bytes)
    let contentLength = value + adjustment
    guard (0...limit).contains(contentLength) else {
      // One byte of the content must stay in the caller's buffer, so that the caller waits
      // for the silence.
      let hasMore = bytes.byteCount > prefixLength
      guard hasMore || isEnd else { return .incomplete }
      let isNegative = contentLength < 0
      rest = !hasMore ? 0 : !isNegative ? contentLength : silence == nil ? 0 : .max
      return .damaged(
        isNegative ? .invalidLength(value) : .tooLong(limit: limit), length: prefixLength)
    }
    let wholeLength = prefixLength + contentLength
    guard bytes.byteCount >= wholeLength else { return partial }
    let start = headerLength > 0 ? 0 : width
    return .frame(Array(bytes.extracting(start..<wholeLength)), length: wholeLength)
  }

  /// Skips the rest of a frame that was too long. Until the frame ends, the last byte stays in
  /// the caller's buffer.
  private mutating func skip(in count: Int, isEnd: Bool) -> FrameSearch<[UInt8]> {
    let length = count >= rest ? rest : isEnd ? count : count - 1
    rest = count >= rest || isEnd ? 0 : rest == .max ? .max : rest - max(length, 0)
    return length > 0 ? .rest(length: length) : .incomplete
  }

  private func length(in bytes: RawSpan) -> Int {
    var value = 0
    for index in 0..<width {
      let offset = byteOrder == .bigEndian ? index : width - 1 - index
      let byte = bytes.unsafeLoad(fromByteOffset: headerLength + offset, as: UInt8.self)
      value = value << 8 | Int(byte)
    }
    return value
  }

  /// Encodes a frame. If there is a header, the frame includes the length field, and its value
  /// is set here.
  ///
  /// - Throws: ``FrameDamage/tooLong(limit:)`` if the frame is too long for the length field,
  ///   ``FrameDamage/invalidLength(_:)`` if the length would be negative,
  ///   ``FrameDamage/unfinished`` if a frame with a header is too short for the length field.
  public func encode(_ frame: [UInt8]) throws(FrameDamage) -> [UInt8] {
    var bytes = headerLength > 0 ? frame : Array(repeating: 0, count: width) + frame
    guard bytes.count >= prefixLength else { throw .unfinished }
    let value = bytes.count - prefixLength - adjustment
    guard value >= 0 else { throw .invalidLength(value) }
    let largest = 1 << (8 * width) - 1
    guard value <= largest else { throw .tooLong(limit: largest + adjustment) }
    for index in 0..<width {
      let offset = byteOrder == .bigEndian ? width - 1 - index : index
      bytes[headerLength + offset] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
    return bytes
  }
}

extension Framing where Self == FixedLengthFraming {
  /// Frames of a fixed length; see ``FixedLengthFraming``.
  public static func fixedLength(
    _ length: Int, silence: Duration? = nil
  ) -> FixedLengthFraming {
    FixedLengthFraming(length, silence: silence)
  }
}

extension LengthPrefixFraming {
  public func hasSameFormat(as other: LengthPrefixFraming) -> Bool {
    var unused = self
    unused.rest = other.rest
    return unused == other
  }
}

extension Framing where Self == LengthPrefixFraming {
  /// Frames with a length field; see ``LengthPrefixFraming``.
  public static func length<Length: FixedWidthInteger & UnsignedInteger>(
    _ type: Length.Type, _ byteOrder: LengthPrefixFraming.ByteOrder = .bigEndian,
    adjustment: Int = 0, headerLength: Int = 0, limit: Int = 65_536, silence: Duration? = nil
  ) -> LengthPrefixFraming {
    LengthPrefixFraming(
      type, byteOrder, adjustment: adjustment, headerLength: headerLength, limit: limit,
      silence: silence)
  }
}

extension Array<UInt8> {
  /// The bytes of a span.
  init(_ bytes: RawSpan) { self = bytes.withUnsafeBytes { Array($0) } }
}
