/// A format in which a device sends frames: lines, packets or other units.
///
/// A framing is a value. It has no clock and no buffer. The caller keeps the received bytes, calls
/// ``search(_:searched:isEnd:)`` when there are more of them, and removes the bytes that the result
/// names. ``FrameBuffer`` is such a caller.
///
/// Principles of operation:
/// - The frames do not depend on the pieces in which the bytes arrive.
/// - No byte is searched twice. A frame that arrives byte by byte costs no more than a frame
///   in one piece.
/// - Every framing has a limit, so that the memory is bounded.
/// - If the format marks the end of a frame, damage costs one frame.
public protocol Framing<Frame>: Sendable {
  /// The type of a frame.
  associatedtype Frame: Sendable

  /// The silence on the line that ends a frame; nil if a silence does not matter. It may depend on
  /// the bytes that were searched last: an end that is likely is waited for less long.
  var silence: Duration? { get }

  /// Searches for a frame at the start of the received bytes.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes, without those of earlier results.
  ///   - searched: The number of bytes that were already searched: all that were there when the
  ///     last search returned ``FrameSearch/incomplete``; 0 after any other result.
  ///   - isEnd: Whether the last frame ends with these bytes: the silence has passed, or the
  ///     device is gone.
  mutating func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<Frame>

  /// Whether another framing of this type finds the same frames, whatever both have seen so far.
  /// Then a reader goes on where another one has stopped, for example in a line that is too long.
  /// By default false.
  func hasSameFormat(as other: Self) -> Bool
}

extension Framing {
  public var silence: Duration? { nil }

  public func hasSameFormat(as other: Self) -> Bool { false }
}

/// The result of a search for a frame. Every length is the number of bytes to remove, and
/// at least 1.
public enum FrameSearch<Frame> {
  /// There is no complete frame yet. At the end: there is no frame left.
  case incomplete
  /// A frame. The length includes its delimiters.
  case frame(Frame, length: Int)
  /// Bytes that are not a valid frame, with the reason.
  case damaged(FrameDamage, length: Int)
  /// Delimiters without a frame.
  case skip(length: Int)
  /// More bytes of a damaged frame that was already reported.
  case rest(length: Int)
}

extension FrameSearch: Sendable where Frame: Sendable {}
extension FrameSearch: Equatable where Frame: Equatable {}
extension FrameSearch: Hashable where Frame: Hashable {}

extension FrameSearch {
  /// Converts the frame, for a framing that is based on another one.
  ///
  /// - Parameter transform: Returns the result for a frame and its length.
  public func map<Other>(
    _ transform: (Frame, _ length: Int) -> FrameSearch<Other>
  ) -> FrameSearch<Other> {
    switch self {
    case .incomplete: .incomplete
    case .frame(let frame, let length): transform(frame, length)
    case .damaged(let damage, let length): .damaged(damage, length: length)
    case .skip(let length): .skip(length: length)
    case .rest(let length): .rest(length: length)
    }
  }
}

/// The reason why received bytes are not a valid frame, or why a frame cannot be sent.
public enum FrameDamage: Error, Hashable, Sendable {
  /// The frame is longer than the limit, in bytes.
  case tooLong(limit: Int)
  /// The bytes end in the middle of a frame.
  case unfinished
  /// The byte after an escape has no meaning there.
  case invalidEscape
  /// A COBS code points beyond the end of the frame.
  case codeBeyondEnd
  /// The length is too small: it would make the content shorter than 0 bytes.
  case invalidLength(Int)
  /// The checksum is wrong. For your own framings; those of this module have no checksums.
  case wrongChecksum
  /// Any other reason, as a phrase. For your own framings.
  case custom(String)
}

extension FrameDamage: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong(let limit): "a frame is longer than \(limit) bytes"
    case .unfinished: "the bytes end in the middle of a frame"
    case .invalidEscape: "the byte after an escape has no meaning there"
    case .codeBeyondEnd: "a COBS code points beyond the end of the frame"
    case .invalidLength(let length): "the length \(length) is too small"
    case .wrongChecksum: "the checksum is wrong"
    case .custom(let text): text
    }
  }
}

/// A framing that can also encode frames, so that a program can send in the format of the device.
public protocol FrameEncoding: Framing {
  /// Encodes a frame, with its delimiters.
  ///
  /// - Throws: ``FrameDamage/tooLong(limit:)`` if the frame is too long for the format.
  func encode(_ frame: Frame) throws(FrameDamage) -> [UInt8]
}
