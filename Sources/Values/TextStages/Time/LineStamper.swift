import TextTools
public import Time

/// Writes the time at the beginning of every line.
///
/// The time is that of the read that returned the line's first byte. An empty line gets its
/// timestamp when it ends. A device that rewrites a line after a single CR overwrites the
/// timestamp, so the line gets a new one. A row that is erased before the CR is an empty line.
public struct LineStamper: ByteStage {
  /// The maximum width of a timestamp in columns, for up to six digits of seconds.
  public static let maximalWidth = 36

  private let format: TimestampFormat
  private let start: Moment
  private let calendar: (_ second: UInt64) -> CalendarTime
  private var position = LinePosition.start
  /// Whether the row was just erased, with its timestamp.
  private var isErased = false
  /// The time of the last timestamp, by the monotonic clock.
  private var last: UInt64
  /// The last result of the calendar, so that it is not called for every line.
  private var asked: (second: UInt64, time: CalendarTime)?

  /// The width of a timestamp; see ``TimestampFormat/width``.
  package var width: Int { format.width }

  /// Creates a stamper for the beginning of a line.
  ///
  /// - Parameters:
  ///   - format: the format of the time.
  ///   - start: the time from which ``TimestampFormat/Kind/start`` counts.
  ///   - calendar: converts seconds since 1970-01-01 UTC to local time, like `localtime_r`. It is
  ///     called at most once a second, and only for formats that need it.
  public init(
    _ format: TimestampFormat, start: Moment,
    calendar: @escaping (_ second: UInt64) -> CalendarTime
  ) {
    self.format = format
    self.start = start
    self.calendar = calendar
    last = start.monotonic
  }

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    for part in ScreenParts(bytes) {
      switch (part.kind, position) {
      case (.lineFeed, .start): append(timeOf: moment, to: &output)
      case (.lineFeed, .startReturned):
        append(timeOf: moment, to: &output)
        // The CR came before the timestamp, and a line feed keeps the column.
        output.append(.carriageReturn)
      case (.lineFeed, _), (.carriageReturn, _), (_, .inLine): break
      case (_, .start), (_, .startReturned), (_, .returned):
        append(timeOf: moment, to: &output)
      }
      output.append(contentsOf: part.bytes)
      position.advance(over: part)
      if isErased, part.kind == .carriageReturn { position = .startReturned }
      isErased = part.erasesRow
    }
    return .changed
  }

  /// False: no byte ever waits.
  public var isWaiting: Bool { false }

  /// Does nothing.
  public mutating func flush(into output: inout [UInt8]) {}

  /// Records a moved cursor. Text that continues in the first column gets a timestamp, because it
  /// is a new line on the screen.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    if isAtMargin { position = .start }
  }

  /// Appends the time, and a blank.
  package mutating func append(timeOf moment: Moment, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "["))
    switch format.kind {
    case .time: append(clockTimeOf: moment, into: &output)
    case .iso: append(dateAndTimeOf: moment, into: &output)
    case .delta:
      output.append(UInt8(ascii: "+"))
      append(elapsed: moment.monotonic, since: last, into: &output)
    case .start: append(elapsed: moment.monotonic, since: start.monotonic, into: &output)
    case .epoch:
      output.append(decimal: moment.wallClock / .second)
      append(fractionOf: moment.wallClock, into: &output)
    }
    output.append("] ")
    last = moment.monotonic
  }

  private mutating func append(clockTimeOf moment: Moment, into output: inout [UInt8]) {
    let time = localTime(moment)
    append((time.hour, time.minute, time.second), separator: ":", into: &output)
    append(fractionOf: moment.wallClock, into: &output)
  }

  private mutating func append(dateAndTimeOf moment: Moment, into output: inout [UInt8]) {
    let time = localTime(moment)
    append((time.year, time.month, time.day), separator: "-", into: &output)
    output.append(UInt8(ascii: "T"))
    append(clockTimeOf: moment, into: &output)
    output.append(UInt8(ascii: time.offset < 0 ? "-" : "+"))
    let minutes = time.offset.magnitude / 60
    output.append(decimal: UInt64(minutes / 60), width: 2)
    output.append(UInt8(ascii: ":"))
    output.append(decimal: UInt64(minutes % 60), width: 2)
  }

  private func append(
    _ fields: (Int, Int, Int), separator: Unicode.Scalar, into output: inout [UInt8]
  ) {
    output.append(decimal: UInt64(fields.0), width: 2)
    output.append(UInt8(ascii: separator))
    output.append(decimal: UInt64(fields.1), width: 2)
    output.append(UInt8(ascii: separator))
    output.append(decimal: UInt64(fields.2), width: 2)
  }

  /// Appends seconds, padded to the width of a day so that lines are aligned.
  private func append(
    elapsed time: UInt64, since earlier: UInt64, into output: inout [UInt8]
  ) {
    let elapsed = time > earlier ? time - earlier : 0
    output.append(decimal: elapsed / .second, width: 5, padding: UInt8(ascii: " "))
    append(fractionOf: elapsed, into: &output)
  }

  /// Appends the decimal point and the digits after it, truncated like a clock, not rounded.
  private func append(fractionOf time: UInt64, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "."))
    let fraction = time % .second / format.precision.unit
    output.append(decimal: fraction, width: format.precision.digits)
  }

  private mutating func localTime(_ moment: Moment) -> CalendarTime {
    let second = moment.wallClock / .second
    if let asked, asked.second == second { return asked.time }
    let time = calendar(second)
    asked = (second, time)
    return time
  }
}

extension UInt64 {
  /// The number of nanoseconds in a second.
  fileprivate static let second: UInt64 = 1_000_000_000
}
