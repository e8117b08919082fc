/// Finds frames in received bytes: lines, packets, or whatever a device sends as a unit.
///
/// A framing is a value without a clock or a buffer. Who receives the bytes keeps those that were not
/// taken, calls ``search(_:searched:isEnd:)`` when there are more, and removes what the result says.
/// ``FrameBuffer`` does that.
///
/// Principles of operation:
/// - How the bytes are divided into pieces on their way does not matter for the frames.
/// - No byte is searched twice, so that a frame that arrives byte by byte costs no more than in one piece.
/// - Every framing has a limit, so that memory is bounded whatever a device sends.
/// - Damage costs one frame where the format shows the end of a frame; the search goes on behind it.
public protocol Framing: Sendable {
  /// What a frame is given as.
  associatedtype Frame: Sendable

  /// The silence on the line that ends a frame; nil if time has no meaning for this framing.
  var silence: Duration? { get }

  /// Searches for a frame at the front of the bytes that were received and not yet taken.
  ///
  /// - Parameters:
  ///   - bytes: Those bytes.
  ///   - searched: How many of them an earlier search for the same frame has seen: all that there were when
  ///     it returned ``FrameSearch/incomplete``, 0 after everything else.
  ///   - isEnd: Nothing follows these bytes in this frame: the silence has passed, or the device is gone for
  ///     good.
  mutating func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<Frame>
}

extension Framing {
  public var silence: Duration? { nil }
}

/// What a search for a frame has found at the front of the received bytes.
public enum FrameSearch<Frame> {
  /// No frame: more bytes are needed. At the end, there is nothing left that is part of a frame.
  case incomplete
  /// A frame, and how many bytes of the front it took, delimiters included; at least 1.
  case frame(Frame, length: Int)
  /// Bytes that are no frame, what is wrong, and how many they are; at least 1. They are removed, and the
  /// search goes on behind them.
  case damaged(FrameDamage, length: Int)
  /// Bytes that are neither a frame nor damage, and how many they are; at least 1: a delimiter without a
  /// frame, or the rest of a frame whose damage was reported. They are removed without a report.
  case skip(length: Int)
}

extension FrameSearch: Sendable where Frame: Sendable {}
extension FrameSearch: Equatable where Frame: Equatable {}
extension FrameSearch: Hashable where Frame: Hashable {}

extension FrameSearch {
  /// Replaces a frame, given with its length, by another result: for a framing that is made of another one.
  public func map<Other>(_ transform: (Frame, _ length: Int) -> FrameSearch<Other>) -> FrameSearch<
    Other
  > {
    switch self {
    case .incomplete: .incomplete
    case .frame(let frame, let length): transform(frame, length)
    case .damaged(let damage, let length): .damaged(damage, length: length)
    case .skip(let length): .skip(length: length)
    }
  }
}

/// Why received bytes are no frame, or why a frame cannot be sent.
public enum FrameDamage: Error, Hashable, Sendable {
  /// A frame is longer than the limit, in bytes.
  case tooLong(limit: Int)
  /// The bytes end in the middle of a frame.
  case unfinished
  /// An escape is followed by a byte that has no meaning there.
  case invalidEscape
  /// A COBS code points beyond the end of the frame.
  case codeBeyondEnd
  /// A length is less than what it counts besides the content.
  case invalidLength(Int)
  /// The checksum is wrong: for a framing of your own; those of this module have none.
  case wrongChecksum
  /// Anything else that a framing of your own finds wrong, in words.
  case custom(String)
}

extension FrameDamage: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLong(let limit): "a frame is longer than \(limit) bytes"
    case .unfinished: "the bytes end in the middle of a frame"
    case .invalidEscape: "an escape is followed by a byte that has no meaning there"
    case .codeBeyondEnd: "a COBS code points beyond the end of the frame"
    case .invalidLength(let length): "\(length) is less than a length can be"
    case .wrongChecksum: "the checksum is wrong"
    case .custom(let text): text
    }
  }
}

/// A framing that also makes the bytes of a frame, to answer in the format that a device sends.
public protocol FrameEncoding: Framing {
  /// The bytes of a frame as they are sent, delimiters included.
  ///
  /// - Throws: ``FrameDamage/tooLong(limit:)`` if the format has no room for the frame.
  func encode(_ frame: Frame) throws(FrameDamage) -> [UInt8]
}
