package import TextStages
import Time

/// Writes lines of text with their local times, without escape sequences and control characters.
///
/// If both directions are logged, each line has a mark of its direction.
struct TextEncoder: LogEncoder {
  private var text: TextLines
  private var stamper = LineStamper.ofLogs
  private var lines: [UInt8] = []
  /// The time of the last record, for what waits for the end of a line.
  private var lastMoment = Moment(wallClock: 0, monotonic: 0)

  init(marksDirection: Bool) { text = TextLines(marksDirection: marksDirection) }

  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    lines.removeAll(keepingCapacity: true)
    lastMoment = record.moment
    text.append(record.contentAsText, to: &lines)
    stamp(into: &output)
  }

  private mutating func stamp(into output: inout [UInt8]) {
    let result = lines.withUnsafeBytes { stamper.transform($0, at: lastMoment, into: &output) }
    if result == .unchanged { output.append(contentsOf: lines) }
  }

  mutating func end(into output: inout [UInt8]) {
    lines.removeAll(keepingCapacity: true)
    text.endLine(in: &lines)
    stamp(into: &output)
    stamper = .ofLogs
  }
}

extension LineStamper {
  /// Creates a stamper that writes the local time in the form of text logs.
  package static var ofLogs: LineStamper {
    LineStamper(
      TimestampFormat(.iso, .microseconds), start: Moment(wallClock: 0, monotonic: 0),
      calendar: CalendarTime.init(local:))
  }
}
