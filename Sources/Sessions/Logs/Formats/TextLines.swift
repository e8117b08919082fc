import TextStages
import TextTools

/// The lines of one port in a text log, without times, escape sequences and control characters.
/// Events have separate lines.
///
/// An incomplete line stays open for further bytes. Bytes of the other direction, an event, or the
/// end of the file end it. What is known about an address comes late, and waits for the end of the
/// open line.
struct TextLines {
  private let marksDirection: Bool
  private var strippers: [Direction: SequenceStripper] = [:]
  /// The direction of the open line; nil at the beginning of a line.
  private var open: Direction?
  private var stripped: [UInt8] = []
  /// What waits for the end of the open line.
  private var waiting: [LogEvent] = []
  /// The number of events that wait at most; the line ends for more.
  private static let mostWaiting = 256

  init(marksDirection: Bool) { self.marksDirection = marksDirection }

  /// Whether something waits for the end of the open line.
  var isWaitedFor: Bool { !waiting.isEmpty }

  /// Appends the text of a record.
  mutating func append(_ content: LogRecord.Content, to lines: inout [UInt8]) {
    switch content {
    case .bytes(let direction, let bytes, _): append(bytes, direction, to: &lines)
    case .event(let event):
      if event.kind == .symbols, open != nil, waiting.count < Self.mostWaiting {
        waiting.append(event)
      } else {
        append(line: "[\(event)]", to: &lines)
      }
    case .gap(let count): append(line: "[\(LogEvent.gapText(count))]", to: &lines)
    case .port: break
    }
  }

  /// Ends the open line.
  mutating func endLine(in lines: inout [UInt8]) {
    if open != nil { lines.append(.newline) }
    open = nil
    appendWaiting(to: &lines)
  }

  /// Appends what has waited for the end of a line.
  private mutating func appendWaiting(to lines: inout [UInt8]) {
    guard !waiting.isEmpty else { return }
    let events = waiting
    waiting = []
    for event in events { append(line: "[\(event)]", to: &lines) }
  }

  private mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, to lines: inout [UInt8]
  ) {
    stripped.removeAll(keepingCapacity: true)
    strippers[direction, default: SequenceStripper()].strip(bytes, into: &stripped)
    guard !stripped.isEmpty else { return }
    if open != direction { endLine(in: &lines) }
    for byte in stripped {
      if open == nil {
        if marksDirection { lines.append(direction.mark) }
        open = direction
      }
      lines.append(byte)
      if byte == .newline {
        open = nil
        appendWaiting(to: &lines)
      }
    }
  }

  private mutating func append(line: String, to lines: inout [UInt8]) {
    endLine(in: &lines)
    // The name of a port may contain any characters.
    let text = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
    lines.append(String(String.UnicodeScalarView(text)))
    lines.append(.newline)
  }
}

extension UInt8 {
  fileprivate static let newline: UInt8 = 0x0A
}

extension Direction {
  /// The mark at the beginning of its lines.
  fileprivate var mark: String {
    switch self {
    case .fromDevice: "< "
    case .toDevice: "> "
    }
  }
}
