import Views

/// Lines of text, each with its local time, without escape sequences and control characters.
///
/// If both directions are logged, each line has a mark for its direction. An incomplete line stays open
/// for later bytes; bytes of the other direction, an event, or the end of the file end it.
struct TextEncoder: LogEncoder {
  private let marksDirection: Bool
  private var strippers: [Direction: SequenceStripper] = [:]
  private var stamper = Self.stamper()
  /// Whose line is open; nil at the beginning of a line.
  private var open: Direction?
  private var stripped: [UInt8] = []
  private var lines: [UInt8] = []

  init(marksDirection: Bool) { self.marksDirection = marksDirection }

  private static func stamper() -> LineStamper {
    LineStamper(
      TimestampFormat(.iso, .microseconds), start: Moment(wallClock: 0, monotonic: 0),
      calendar: CalendarTime.init(local:))
  }

  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    lines.removeAll(keepingCapacity: true)
    switch record.content {
    case .bytes(let direction, let bytes): append(bytes, direction)
    case .event(let event): append(line: "[\(event)]")
    case .gap(let count): append(line: "[\(LogEvent.gapText(count))]")
    }
    let result = lines.withUnsafeBytes {
      stamper.transform($0, at: record.moment, into: &output)
    }
    if result == .unchanged { output.append(contentsOf: lines) }
  }

  mutating func end(into output: inout [UInt8]) {
    if open != nil { output.append(.newline) }
    open = nil
    stamper = Self.stamper()
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer, _ direction: Direction) {
    stripped.removeAll(keepingCapacity: true)
    strippers[direction, default: SequenceStripper()].strip(bytes, into: &stripped)
    guard !stripped.isEmpty else { return }
    if open != direction { endLine() }
    for byte in stripped {
      if open == nil {
        if marksDirection { lines.append(direction.mark) }
        open = direction
      }
      lines.append(byte)
      if byte == .newline { open = nil }
    }
  }

  private mutating func append(line: String) {
    endLine()
    // The name of a port may have anything in it.
    let text = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
    lines.append(String(String.UnicodeScalarView(text)))
    lines.append(.newline)
  }

  private mutating func endLine() {
    if open != nil { lines.append(.newline) }
    open = nil
  }
}

extension UInt8 {
  fileprivate static let newline: UInt8 = 0x0A
}

extension Direction {
  /// The mark before its lines.
  fileprivate var mark: String {
    switch self {
    case .fromDevice: "< "
    case .toDevice: "> "
    }
  }
}
