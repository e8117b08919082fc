/// Frames of one length.
///
/// Nothing in the bytes shows where a frame begins: after a lost byte, only the silence between frames, if
/// there is one, leads back to it.
public struct FixedLengthFraming: Framing, Hashable {
  /// The number of bytes of a frame.
  public let length: Int
  public let silence: Duration?

  /// - Parameters:
  ///   - length: The number of bytes of a frame.
  ///   - silence: The silence after which a frame that is not complete is damage, and the next one begins;
  ///     nil if frames follow each other at any distance.
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

/// Frames that begin with their length.
///
/// A frame is its content, without the length. If a header comes before the length, a frame is the whole
/// message with header, length and content: the header says what the content is, and checksums often include
/// it.
///
/// A frame with a length beyond the limit is reported once, and skipped by that length. Nothing in the bytes
/// shows where a frame begins: after a lost byte, only the silence between frames, if there is one, leads back
/// to it.
public struct LengthPrefixFraming: FrameEncoding, Hashable {
  /// The order of the bytes of a length.
  public enum ByteOrder: Hashable, Sendable, CaseIterable {
    /// The most significant byte first.
    case bigEndian
    /// The least significant byte first.
    case littleEndian
  }

  /// The number of bytes of the length.
  public let width: Int
  /// The order of the length's bytes.
  public let byteOrder: ByteOrder
  /// What is added to the length to get the number of bytes behind it.
  public let adjustment: Int
  /// The number of bytes before the length.
  public let headerLength: Int
  /// The most bytes behind the length.
  public let limit: Int
  public let silence: Duration?
  /// The number of bytes that are still to skip of a frame that was too long; `Int.max` for all up to the
  /// silence.
  private var rest = 0

  /// - Parameters:
  ///   - type: The type of the length: `UInt8.self`, `UInt16.self` or `UInt32.self`.
  ///   - byteOrder: The order of the length's bytes.
  ///   - adjustment: What is added to the length to get the number of bytes behind it: -2 if a length of two
  ///     bytes counts itself, 2 for a checksum of two bytes that it does not count.
  ///   - headerLength: The number of bytes before the length. If there are any, frames are given with them
  ///     and the length.
  ///   - limit: The most bytes behind the length.
  ///   - silence: The silence after which a frame that is not complete is damage, and the next one begins;
  ///     nil if frames follow each other at any distance.
  /// - Precondition: `limit` is greater than 0, `headerLength` is not negative, and the type has at most 32
  ///   bits.
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
      // A byte of the content stays, so that there is something that the silence can end.
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

  /// Skips what is left of a frame that was too long, except its last byte until that is the last in the frame
  /// too.
  private mutating func skip(in count: Int, isEnd: Bool) -> FrameSearch<[UInt8]> {
    let length = count >= rest ? rest : isEnd ? count : count - 1
    rest = count >= rest || isEnd ? 0 : rest == .max ? .max : rest - max(length, 0)
    return length > 0 ? .skip(length: length) : .incomplete
  }

  private func length(in bytes: RawSpan) -> Int {
    var value = 0
    for index in 0..<width {
      let place = byteOrder == .bigEndian ? index : width - 1 - index
      let byte = bytes.unsafeLoad(fromByteOffset: headerLength + place, as: UInt8.self)
      value = value << 8 | Int(byte)
    }
    return value
  }

  /// The bytes of a frame with its length. A frame with a header has room for the length, which is filled in.
  ///
  /// - Throws: ``FrameDamage/tooLong(limit:)`` if the length has too few bytes for the frame,
  ///   ``FrameDamage/invalidLength(_:)`` if it would be negative, ``FrameDamage/unfinished`` if a frame with
  ///   a header ends before its content.
  public func encode(_ frame: [UInt8]) throws(FrameDamage) -> [UInt8] {
    var bytes = headerLength > 0 ? frame : Array(repeating: 0, count: width) + frame
    guard bytes.count >= prefixLength else { throw .unfinished }
    let value = bytes.count - prefixLength - adjustment
    guard value >= 0 else { throw .invalidLength(value) }
    let largest = 1 << (8 * width) - 1
    guard value <= largest else { throw .tooLong(limit: largest + adjustment) }
    for index in 0..<width {
      let place = byteOrder == .bigEndian ? width - 1 - index : index
      bytes[headerLength + place] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
    return bytes
  }
}

extension Framing where Self == FixedLengthFraming {
  /// Frames of one length; see ``FixedLengthFraming``.
  public static func fixedLength(
    _ length: Int, silence: Duration? = nil
  ) -> FixedLengthFraming {
    FixedLengthFraming(length, silence: silence)
  }
}

extension Framing where Self == LengthPrefixFraming {
  /// Frames that begin with their length; see ``LengthPrefixFraming``.
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
