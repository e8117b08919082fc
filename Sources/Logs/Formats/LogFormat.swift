/// How a log is written. The raw values are what users write.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
  /// What was received, exactly as it was read, and nothing else.
  case raw
  /// Lines to read: the time in front, nothing in them that a terminal would obey.
  case text
  /// A JSON object a line: see RFC 8259 and <https://jsonlines.org>.
  case jsonl
  /// Packets, for Wireshark: see <https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-04.html>.
  case pcapng

  /// The format that a file's name asks for: `.txt`, `.jsonl`, `.pcapng`; raw for every other.
  public init(fileName: String) {
    self = Self.allCases.first { fileName.lowercased().hasSuffix($0.suffix) } ?? .raw
  }

  /// What the name of a file in this format ends with.
  public var suffix: String {
    switch self {
    case .raw: ".log"
    case .text: ".txt"
    case .jsonl: ".jsonl"
    case .pcapng: ".pcapng"
    }
  }

  /// Whether a file may end between any two bytes: there are no records in it to be kept whole.
  var isDivisible: Bool { self == .raw }

  /// Whether it tells what was sent from what was received.
  public var marksDirections: Bool { self != .raw }

  /// Something that writes the format.
  ///
  /// - Parameter marksDirection: whether both directions are logged, so that it matters which.
  func encoder(marksDirection: Bool) -> any LogEncoder {
    switch self {
    case .raw: RawEncoder()
    case .text: TextEncoder(marksDirection: marksDirection)
    case .jsonl: JSONLinesEncoder()
    case .pcapng: PcapngEncoder()
    }
  }
}
