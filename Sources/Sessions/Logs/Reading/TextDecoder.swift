import TextStages
import Time

/// Reads lines with timestamps: the output of ``TextEncoder``, and other text with the
/// timestamps of `--timestamps`.
///
/// A text log has neither the device's line ends nor its control characters. Each line is one
/// entry, with the time of its first byte, and ends with CR LF.
struct TextDecoder: LogDecoder {
  static let beginnings: [[UInt8]] = [Array("[".utf8)]
  static let isText = true

  let ports = LogPortNames()
  private(set) var clockStep: Int64 = 0
  private let input: LogInput
  private var line = 0
  private var clock = LineClock()
  /// Whether lines have a mark of their direction; nil before the first one. A device's prompt can
  /// look like one, so all lines at the beginning must have it.
  private var hasMarks: Bool?

  /// The number of bytes at the beginning that are searched for lines without marks.
  private static let beginning = 65_536

  init(_ input: LogInput) { self.input = input }

  mutating func next() throws(LogReadingError) -> LogReader.Reading {
    if hasMarks == nil, case .bytes(let beginning) = try input.peek(Self.beginning) {
      hasMarks = Self.areMarked(beginning)
    }
    while let reading = try input.readLine() {
      guard case .bytes(let bytes) = reading else { return .waiting }
      line += 1
      if let entry = try entry(in: bytes) { return .entry(entry) }
    }
    return .end
  }

  /// The entry of a line; nil for an event or an empty line.
  private mutating func entry(in bytes: ArraySlice<UInt8>) throws(LogReadingError) -> LogEntry? {
    guard bytes.count <= LogInput.maximalLength else {
      throw LogReadingError(at: .line(line), "the line is too long")
    }
    var text = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    if let stamp = bytes.withUnsafeBytes({ LineTimestamp(of: $0) }) {
      clock.advance(to: stamp)
      text = text.dropFirst(stamp.length)
    } else if line == 1 {
      throw LogReadingError(at: .line(line), "it has no time at its beginning")
    }
    let stamp = bytes.prefix(upTo: text.startIndex)
    guard !text.isEmpty, !LogEvent.isText(text, behind: stamp) else {
      if let step = LogEvent.clockStep(in: text, behind: stamp) {
        clockStep = clockStep.addingClamped(step)
      }
      return nil
    }
    let direction = Self.mark(of: text)
    // Of a pipe, only the first line is known.
    if hasMarks == nil { hasMarks = direction != nil }
    let isMarked = hasMarks == true && direction != nil
    return LogEntry(
      time: UInt64(max(0, min(clock.seconds, 1e10)) * 1e9), port: nil,
      direction: isMarked ? direction! : .fromDevice,
      bytes: Array(isMarked ? text.dropFirst(2) : text) + "\r\n".utf8)
  }

  /// Whether all whole lines of the device or of the user have marks.
  private static func areMarked(_ beginning: ArraySlice<UInt8>) -> Bool {
    let lines = beginning.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
    let isWhole = beginning.last == UInt8(ascii: "\n") || lines.count == 1
    let texts = (isWhole ? lines[...] : lines.dropLast()).compactMap { line in
      line.withUnsafeBytes { LineTimestamp(of: $0) }.map { line.dropFirst($0.length) }
        .flatMap { LogEvent.isText($0, behind: line.prefix(upTo: $0.startIndex)) ? nil : $0 }
    }.filter { !$0.isEmpty }
    return !texts.isEmpty && texts.allSatisfy { mark(of: $0) != nil }
  }

  /// The direction that a line begins with; nil for none.
  private static func mark(of text: ArraySlice<UInt8>) -> Direction? {
    if text.starts(with: "< ".utf8) { return .fromDevice }
    return text.starts(with: "> ".utf8) ? .toDevice : nil
  }
}
