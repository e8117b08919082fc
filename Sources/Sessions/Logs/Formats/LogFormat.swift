import Plotting

/// The format of a log. Users enter the raw values.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
  /// Only the received bytes, unchanged.
  case raw
  /// Lines of text with their times, without escape sequences and control characters.
  case text
  /// One JSON object on each line: see RFC 8259 and <https://jsonlines.org>.
  case jsonl
  /// Packets, for Wireshark: see <https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-04.html>.
  case pcapng
  /// The numbers that the device sends, as a table: see RFC 4180.
  case csv

  /// The format for a file name: determined by the suffix `.txt`, `.jsonl`, `.pcapng` or `.csv`; otherwise
  /// raw.
  public init(fileName: String) {
    self = Self.allCases.first { fileName.lowercased().hasSuffix($0.suffix) } ?? .raw
  }

  /// The suffix of a file in this format.
  public var suffix: String {
    switch self {
    case .raw: ".log"
    case .text: ".txt"
    case .jsonl: ".jsonl"
    case .pcapng: ".pcapng"
    case .csv: ".csv"
    }
  }

  /// Whether a file may be split between any two bytes, because the format has no records.
  var isDivisible: Bool { self == .raw }

  /// Whether the format can contain events.
  public var hasEvents: Bool { self != .raw && self != .csv }

  /// Whether the format distinguishes sent from received bytes.
  public var marksDirections: Bool { self != .raw && self != .csv }

  /// Whether a file can be continued later: a table has its columns in its first line.
  public var canBeContinued: Bool { self != .csv }

  /// Whether the format distinguishes the ports in a log of several ports.
  public var namesPorts: Bool { self != .raw }

  /// An encoder for the format.
  ///
  /// - Parameters:
  ///   - marksDirection: whether both directions are logged, and must be marked.
  ///   - namesPorts: whether several ports write to the log, and must be named.
  ///   - sampleForm: the form of the lines with numbers; nil to find it.
  func encoder(
    marksDirection: Bool, namesPorts: Bool = false, sampleForm: SampleForm? = nil
  ) -> any LogEncoder {
    switch self {
    case .raw: RawEncoder()
    case .text:
      namesPorts
        ? MergedTextEncoder(marksDirection: marksDirection)
        : TextEncoder(marksDirection: marksDirection)
    case .jsonl: JSONLinesEncoder(namesPorts: namesPorts)
    case .pcapng: PcapngEncoder(namesPorts: namesPorts)
    case .csv: CSVEncoder(sampleForm, namesPorts: namesPorts)
    }
  }
}
