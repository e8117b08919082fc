import Encodings
import Framing
import TextStages
import Time

/// One entry of a log.
struct LogRecord {
  let moment: Moment
  /// The number of the port, in the order in which the ports were added; 0 in the log of
  /// a single port.
  var port = 0
  let content: Content
  /// The text of the bytes, if they are not UTF-8; see ``RecordDecoder``.
  var decoded: Decoded?
  /// What is known about the frame, if the bytes are one.
  var frame: DecodedFrame?

  /// A text in UTF-8, made from bytes in another encoding.
  struct Decoded {
    let encoding: Encoding
    /// Valid only during the call that passes the record. The end of the bytes may belong to the
    /// text of the next record, if it is an incomplete character.
    let text: UnsafeRawBufferPointer
  }

  /// The content, with the text of the bytes in their place.
  var contentAsText: Content {
    if let decoded, case .bytes(let direction, _, let client) = content {
      return .bytes(direction, decoded.text, by: client)
    }
    return content
  }

  enum Content {
    /// The bytes of one read or write, valid only during the call that passes the record, and the
    /// name of the client that wrote them; nil for any other writer.
    case bytes(Direction, UnsafeRawBufferPointer, by: String?)
    case event(LogEvent)
    /// This number of bytes is missing, because the buffer was full.
    case gap(Int)
    /// A new port of a log of several ports. It comes before all other records of the port.
    case port(LogPort)
  }
}

/// One of the ports that write to the same log.
public struct LogPort: Hashable, Sendable {
  /// Its short name, which is in every entry. The names of a log's ports are different.
  public let name: String
  /// The endpoint: a path, or another address.
  public let endpoint: String

  /// Creates a port.
  public init(_ name: String, at endpoint: String) {
    self.name = name
    self.endpoint = endpoint
  }
}
