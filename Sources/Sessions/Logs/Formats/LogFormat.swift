import Framing
import Plotting
import TextTools

/// A format of logs, as a record: a format is an encoder, a decoder if its logs can be played, and
/// its place in ``allCases``.
public struct LogFormat: Sendable {
  /// The name in options.
  public let rawValue: String
  /// The format in words, as a list shows it.
  public let title: String
  /// The suffix of a file in this format.
  public let suffix: String
  /// What the format contains, if it is not everything.
  public let note: String?
  /// Whether a file may be split between any two bytes, because the format has no records.
  let isDivisible: Bool
  /// Whether the format can contain events, and distinguishes sent from received bytes.
  public let hasEvents: Bool
  /// Whether a file can be continued later: a table has its columns in its first line.
  public let canBeContinued: Bool
  /// Whether the format distinguishes the ports in a log of several ports.
  public let namesPorts: Bool
  /// How the format contains frames; nil if it does not.
  private let frameStyle: FrameStyle?
  private let makeEncoder: @Sendable (Contents) -> any LogEncoder
  /// What reads a log in the format again; nil if the format has no bytes with times.
  let decoder: (any LogDecoder.Type)?

  /// A way to contain frames.
  private enum FrameStyle {
    /// As records with the frame's bytes, its check and its meaning.
    case records
    /// As lines of text.
    case lines
  }

  /// What the records of a log contain.
  private struct Contents {
    let marksDirection: Bool
    let namesPorts: Bool
    let sampleForm: SampleForm?
  }

  private init(
    _ name: String, _ title: String, suffix: String, note: String? = nil,
    isDivisible: Bool = false, hasEvents: Bool = true, canBeContinued: Bool = true,
    namesPorts: Bool = true, frames: FrameStyle? = nil,
    encoder: @escaping @Sendable (Contents) -> any LogEncoder, decoder: (any LogDecoder.Type)? = nil
  ) {
    rawValue = name
    self.title = title
    self.suffix = suffix
    self.note = note
    self.isDivisible = isDivisible
    self.hasEvents = hasEvents
    self.canBeContinued = canBeContinued
    self.namesPorts = namesPorts
    frameStyle = frames
    makeEncoder = encoder
    self.decoder = decoder
  }

  /// An encoder for the format.
  ///
  /// - Parameters:
  ///   - marksDirection: whether both directions are logged, and must be marked.
  ///   - namesPorts: whether several ports write to the log, and must be named.
  ///   - sampleForm: the form of the lines with numbers; nil to find it.
  ///   - frameForm: the form of frames, if each frame is a record of its own; nil for reads.
  ///     Formats without records ignore it.
  func encoder(
    marksDirection: Bool, namesPorts: Bool = false, sampleForm: SampleForm? = nil,
    frameForm: ChosenFrameForm? = nil
  ) -> any LogEncoder {
    guard let frameForm, let frameStyle else {
      return makeEncoder(
        Contents(marksDirection: marksDirection, namesPorts: namesPorts, sampleForm: sampleForm))
    }
    // A line of a frame shows the direction itself.
    let inner = Contents(
      marksDirection: marksDirection && frameStyle != .lines, namesPorts: namesPorts,
      sampleForm: nil)
    return FramedEncoder(
      makeEncoder(inner), frameForm, knowsDirection: marksDirection, asLines: frameStyle == .lines)
  }
}

extension LogFormat: CaseIterable, RawRepresentable {
  /// All formats, in the order in which they are listed.
  public static let allCases: [LogFormat] = [.raw, .text, .jsonl, .pcapng, .csv]

  /// Only the received bytes, unchanged.
  public static let raw = LogFormat(
    "raw", "raw bytes", suffix: ".log", isDivisible: true, hasEvents: false, namesPorts: false,
    encoder: { _ in RawEncoder() })

  /// Lines of text with their times, without escape sequences and control characters.
  public static let text = LogFormat(
    "text", "text", suffix: ".txt", frames: .lines,
    encoder: {
      TextEncoder(marksDirection: $0.marksDirection, namesPorts: $0.namesPorts)
    }, decoder: TextDecoder.self)

  /// One JSON object on each line: see RFC 8259 and <https://jsonlines.org>.
  public static let jsonl = LogFormat(
    "jsonl", "JSON lines", suffix: ".jsonl", frames: .records,
    encoder: { JSONLinesEncoder(namesPorts: $0.namesPorts) }, decoder: JSONLinesDecoder.self)

  /// Packets, for Wireshark: see
  /// <https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-04.html>.
  public static let pcapng = LogFormat(
    "pcapng", "pcapng", suffix: ".pcapng", frames: .records,
    encoder: { PcapngEncoder(namesPorts: $0.namesPorts) }, decoder: PcapngDecoder.self)

  /// The numbers that the device sends, as a table: see RFC 4180.
  public static let csv = LogFormat(
    "csv", "table", suffix: ".csv", note: "for the numbers in what is received", hasEvents: false,
    canBeContinued: false, encoder: { CSVEncoder($0.sampleForm, namesPorts: $0.namesPorts) })

  /// Finds a format by its name.
  public init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }

  /// The format for a file name: determined by its suffix; otherwise raw.
  public init(fileName: String) {
    self = Self.allCases.first { fileName.lowercased().hasSuffix($0.suffix) } ?? .raw
  }
}

extension LogFormat {
  /// Whether a log in the format has records, which only its decoder can read. A text log is read
  /// by everything that reads lines.
  package var hasRecords: Bool { decoder.map { !$0.isText } ?? false }

  /// The formats with records.
  package static var withRecords: [LogFormat] { allCases.filter(\.hasRecords) }

  /// The formats of logs that can be played, those with records first.
  package static var playable: [LogFormat] {
    withRecords + allCases.filter { $0.decoder != nil && !$0.hasRecords }
  }

  /// The number of first bytes of a log that determine its format.
  static let signatureByteCount =
    allCases.flatMap { $0.decoder?.beginnings ?? [] }.map(\.count).max() ?? 0

  /// The number of first bytes of any file that show whether it is a log.
  package static let probeByteCount = 65_536

  /// Finds the format of a log by its first bytes. If those of several formats fit, the longest
  /// decide: a pcapng file begins with a line end, as JSON lines can.
  ///
  /// - Parameter beginning: the first ``signatureByteCount`` bytes or more, if there are as many.
  init?(ofLog beginning: ArraySlice<UInt8>) {
    var longest = 0
    var found: LogFormat?
    for format in Self.allCases {
      for known in format.decoder?.beginnings ?? []
      where known.count > longest && beginning.starts(with: known) {
        (found, longest) = (format, known.count)
      }
    }
    guard let found else { return nil }
    self = found
  }

  /// Finds the format of a file that may be a log with records, or something else, such as a text
  /// log or JSON of a device.
  ///
  /// - Parameter beginning: the first ``probeByteCount`` bytes or more, if there are as many.
  package init?(ofRecordsIn beginning: ArraySlice<UInt8>) {
    guard let format = LogFormat(ofLog: beginning), format.hasRecords,
      format.decoder?.isLog(beginning) == true
    else { return nil }
    self = format
  }
}

extension [LogFormat] {
  /// The formats as alternatives: `text, jsonl or pcapng`.
  package func alternatives(_ name: (LogFormat) -> String) -> String {
    map(name).joined(lastBy: "or")
  }
}

extension LogFormat: Hashable {
  public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
