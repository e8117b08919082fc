/// What a decoder says about a frame: the bytes inside it, whether its check is right, and what
/// it means.
public struct DecodedFrame: Hashable, Sendable {
  /// How a frame passed the check of its format.
  public enum Check: Hashable, Sendable {
    /// The format has no check, or the sender left it out.
    case none
    /// The checksum is right.
    case good
    /// The frame is wrong, with the reason, such as "CRC 1234, expected 84 0a".
    case bad(String)
    /// The bytes belong to no frame.
    case stray

    /// The name in logs and events for programs.
    package var name: String {
      switch self {
      case .none: "none"
      case .good: "good"
      case .bad: "bad"
      case .stray: "stray"
      }
    }
  }

  /// The content without delimiters, escapes and checksum encoding; nil if the frame has no other
  /// content than its bytes on the line. That holds for messages of Modbus RTU with their CRC, for
  /// sentences of NMEA 0183 with their CR LF, and for stray bytes.
  public package(set) var content: [UInt8]?
  public package(set) var check: Check
  /// What the frame means in a few words, such as "slave 1 read holding 0x006b ×3"; nil if the
  /// format gives its bytes no meaning.
  public package(set) var meaning: String?
  /// Whether it is certainly or likely a request: no answer to one.
  public package(set) var isRequest: Bool

  package init(
    content: [UInt8]? = nil, check: Check = .none, meaning: String? = nil, isRequest: Bool = false
  ) {
    (self.content, self.check, self.meaning) = (content, check, meaning)
    self.isRequest = isRequest
  }

  /// Bytes that belong to no frame.
  package static let stray = DecodedFrame(check: .stray)
}
