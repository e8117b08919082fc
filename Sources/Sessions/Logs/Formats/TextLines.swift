import TextStages
import TextTools
import Time

/// Writes the lines of one port with their local times, as a screen has them; see ``LineReader``.
/// Events have separate lines.
///
/// A line is written when it is complete: until then the device can change it. Bytes of the other
/// direction, an event, or the end of the file end it. If the device is silent, what it has so
/// far is written; a change after that is in a line of its own. What is known about an address
/// comes late, and waits for the end of the open line.
struct TextLines {
  /// What precedes each line, such as the name of the port.
  var label = ""
  /// The number of bytes of the open line that were not written.
  private(set) var heldCount = 0

  private let marksDirection: Bool
  private let keepsRowsOpen: Bool
  private var stamper = LineStamper.ofLogs
  /// The readers of both directions.
  private var readers = [LineReader(), LineReader(onReturn: .ends)]
  /// The direction of the open line; nil at the beginning of a line.
  private var open: Direction?
  /// The time of the first byte of the open line, and of the last record.
  private var (start, last) = (Moment.zero, Moment.zero)
  /// Whether a part of the open line was written, and the text of it that can still change.
  private var (hasBegun, written) = (false, [UInt8]())
  /// Whether more of the line can be written behind that part.
  private var isRowOpen = false
  /// What waits for the end of the open line.
  private var waiting: [LogEvent] = []

  /// The silence after which an incomplete line is written: longer than most people take to
  /// correct what they type.
  private static let pause = Duration.seconds(2)
  /// The number of events that wait at most; the line ends for more.
  private static let mostWaiting = 256

  /// - Parameter keepsRowsOpen: whether a line is continued where it was broken off, because no
  ///   other lines come between.
  init(marksDirection: Bool, keepsRowsOpen: Bool = true) {
    (self.marksDirection, self.keepsRowsOpen) = (marksDirection, keepsRowsOpen)
  }

  /// Appends the text of a record.
  mutating func append(_ record: LogRecord, to output: inout [UInt8]) {
    last = record.moment
    switch record.contentAsText {
    case .bytes(let direction, let bytes, _):
      append(bytes, direction, of: record, to: &output)
    case .event(let event):
      if event.kind == .symbols, open != nil, waiting.count < Self.mostWaiting {
        waiting.append(event)
      } else {
        append(line: "[\(event)]", at: last, to: &output)
      }
    case .gap(let count):
      append(line: "[\(LogEvent.gapText(count))]", at: last, to: &output)
    case .port: break
    }
  }

  private mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, of record: LogRecord,
    to output: inout [UInt8]
  ) {
    if open != direction { endLine(in: &output) }
    if heldCount == 0 { start = last }
    var (index, end) = (0, 0)
    while let event = readers[direction.index].next(in: bytes, from: &index) {
      guard event != .returned else { continue }
      if open == nil { start = last }
      put(direction, event, to: &output)
      open = event == .ended ? nil : direction
      end = index
      if event == .ended { appendWaiting(to: &output) }
    }
    if readers[direction.index].isEmpty {
      heldCount = 0
    } else {
      if open == nil { (open, start) = (direction, last) }
      // Converted text has another length.
      heldCount = end > 0 ? min(bytes.count - end, record.byteCount) : heldCount + record.byteCount
    }
  }

  /// Appends the line of a direction.
  ///
  /// - Parameter event: what has happened to it; nil if it is incomplete, and can still change.
  private mutating func put(
    _ direction: Direction, _ event: LineReader.Event?, to output: inout [UInt8]
  ) {
    readers[direction.index].withText { text in
      let isContinued = text.starts(with: written)
      let rest = isContinued ? text.dropFirst(written.count) : text[...]
      if !isContinued { endRow(in: &output) }
      if !hasBegun || !isContinued || !rest.isEmpty { beginRow(direction, in: &output) }
      output.append(contentsOf: rest)
      written = event == nil ? Array(text) : []
    }
    if event == .ended || !keepsRowsOpen { endRow(in: &output) }
    hasBegun = event != .ended
  }

  private mutating func beginRow(_ direction: Direction, in output: inout [UInt8]) {
    guard !isRowOpen else { return }
    stamper.append(timeOf: start, to: &output)
    output.append(label)
    if marksDirection { output.append(direction.mark) }
    isRowOpen = true
  }

  private mutating func endRow(in output: inout [UInt8]) {
    if isRowOpen { output.append("\n") }
    isRowOpen = false
  }

  private mutating func append(line: String, at moment: Moment, to output: inout [UInt8]) {
    endLine(in: &output)
    stamper.append(timeOf: moment, to: &output)
    // The name of a port may contain any characters.
    let text = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
    output.append(label + String(String.UnicodeScalarView(text)))
    output.append("\n")
  }

  // MARK: The open line

  /// Ends the open line.
  mutating func endLine(in output: inout [UInt8]) {
    if let open {
      put(open, .ended, to: &output)
      readers[open.index].clear()
    }
    (open, heldCount) = (nil, 0)
    appendWaiting(to: &output)
  }

  /// Ends the open line at the end of the stream.
  mutating func finish(in output: inout [UInt8]) {
    for direction in Direction.allCases {
      readers[direction.index].finish()
      if readers[direction.index].isEmpty { continue }
      if open != direction { endLine(in: &output) }
      open = direction
    }
    endLine(in: &output)
  }

  /// Appends what has waited for the end of a line.
  private mutating func appendWaiting(to output: inout [UInt8]) {
    guard !waiting.isEmpty else { return }
    let events = waiting
    waiting = []
    for event in events { append(line: "[\(event)]", at: last, to: &output) }
  }

  /// The time at which ``tick(at:into:)`` is due; nil if nothing is held back. A moment may come
  /// from another process, so it is clamped.
  var deadline: MonotonicTime? {
    guard heldCount > 0 else { return nil }
    let (end, isOver) = last.monotonic.addingReportingOverflow(UInt64(Self.pause.nanoseconds))
    return isOver ? nil : MonotonicTime(nanoseconds: Int64(clamping: end))
  }

  /// Appends the open line so far, if the device was silent for long enough.
  mutating func tick(at now: MonotonicTime, into output: inout [UInt8]) {
    guard let deadline, deadline <= now, let open else { return }
    put(open, nil, to: &output)
    heldCount = 0
  }

  /// Ends a file. The open line goes on in the next one.
  mutating func endFile(in output: inout [UInt8]) { endRow(in: &output) }
}

extension Moment {
  fileprivate static let zero = Moment(wallClock: 0, monotonic: 0)
}

extension Direction {
  fileprivate var index: Int { self == .fromDevice ? 0 : 1 }

  /// The mark at the beginning of its lines.
  fileprivate var mark: String {
    switch self {
    case .fromDevice: "< "
    case .toDevice: "> "
    }
  }
}
