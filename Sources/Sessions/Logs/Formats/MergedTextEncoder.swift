import TextStages
import Time

/// Writes the lines of several ports, each with its local time and the name of its port.
///
/// Lines are whole, in the order of their completion, and have the time of their first byte. The
/// beginning of a line is held back until the line is complete, or until its port was silent for
/// ``pause``; see ``LineMerger``.
struct MergedTextEncoder: LogEncoder {
  /// The silence of a port after which an unfinished line is written. It is shorter than the pause
  /// of a screen, so that little is lost if the program is killed.
  private static let pause = Duration.milliseconds(30)

  private let marksDirection: Bool
  private var ports: [Port] = []
  private var merger: LineMerger
  private var lines: [UInt8] = []
  /// The time of the last record, for what waits for the end of a line.
  private var lastMoment = Moment(wallClock: 0, monotonic: 0)

  private struct Port {
    let name: String
    var text: TextLines
    /// The number of bytes of the line that the merger holds back.
    var heldCount = 0

    /// Records bytes that were passed to the merger. It holds back those after the last line end.
    mutating func count(_ bytes: UnsafeRawBufferPointer) {
      let end = bytes.lastIndex { $0 == 0x0A || $0 == 0x0D }
      heldCount = end.map { bytes.count - 1 - $0 } ?? heldCount + bytes.count
    }
  }

  init(marksDirection: Bool) {
    self.marksDirection = marksDirection
    merger = LineMerger(
      LineMerger.Style(
        lineEnd: "\n", hasColours: false, canErase: false, pause: UInt64(Self.pause.nanoseconds)),
      stamper: .ofLogs)
    merger.focus = nil
  }

  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    if case .port(let port) = record.content {
      ports.append(Port(name: port.name, text: TextLines(marksDirection: marksDirection)))
      merger.label(ports.map(\.name), width: \.count)
      return
    }
    lines.removeAll(keepingCapacity: true)
    lastMoment = record.moment
    ports[record.port].text.append(record.contentAsText, to: &lines)
    merge(at: record.moment, from: record.port, into: &output)
    if case .bytes(_, let bytes, _) = record.content { ports[record.port].count(bytes) }
    forgetWritten()
  }

  private mutating func merge(
    at moment: Moment, from port: Int, into output: inout [UInt8]
  ) {
    lines.withUnsafeBytes { merger.add($0, from: port, at: moment, into: &output) }
  }

  mutating func end(into output: inout [UInt8]) { merger.endOpenRow(into: &output) }

  // MARK: Held-back text

  var heldCount: Int { ports.reduce(0) { $0 + $1.heldCount } }

  var deadline: MonotonicTime? {
    merger.deadline.map { MonotonicTime(nanoseconds: Int64(clamping: $0)) }
  }

  mutating func tick(at now: MonotonicTime, into output: inout [UInt8]) {
    merger.tick(at: UInt64(clamping: now.nanoseconds), into: &output)
    forgetWritten()
  }

  mutating func flush(into output: inout [UInt8]) {
    for port in ports.indices where ports[port].text.isWaitedFor {
      lines.removeAll(keepingCapacity: true)
      ports[port].text.endLine(in: &lines)
      merge(at: lastMoment, from: port, into: &output)
    }
    merger.finish(into: &output)
    forgetWritten()
  }

  private mutating func forgetWritten() {
    for port in ports.indices where !merger.isHolding(port) { ports[port].heldCount = 0 }
  }
}
