import TextStages
import TextTools

/// Reads the numbers in what a device sends.
///
/// Lines end with LF, CR or CRLF. Escape sequences and control characters are removed, as in text
/// logs. A line counts when it fits the form; other lines are skipped and counted, and nothing in
/// them is guessed. The memory is bounded.
public struct SampleReader {
  /// The maximum length of a line in bytes. A longer line is skipped.
  public static let maximalLineLength = 65_536

  private var lines: LineNumbers
  private var text = LineText()
  /// The open line.
  private var open: [UInt8] = []
  /// The time of the last byte of the open line; nil for the number of the line.
  private var openTime: Double?
  /// Whether the open line is too long.
  private var isTooLong = false
  /// Whether the last byte was a CR: then a LF does not end another line.
  private var isReturned = false

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - form: the form of the lines; nil to find it. The columns of ``SampleForm/values``
  ///     are always found.
  ///   - seriesLimit: the maximum number of series.
  public init(_ form: SampleForm? = nil, seriesLimit: Int = 32) {
    lines = LineNumbers(form, seriesLimit: seriesLimit)
  }

  /// The form of the lines; nil while none was found.
  public var form: SampleForm? { lines.form }
  /// The series, in the order of their appearance. The index of a series does not change.
  public var series: [SeriesName] { lines.table.series }
  /// The number of values that were left out because of the limit of series.
  public var omittedValueCount: Int { lines.omittedValueCount }
  /// The number of lines, with empty ones.
  public var lineCount: Int { lines.lineCount }
  /// The number of lines that are not empty and had no number in the form. A line that can still
  /// count, because the form is not known yet, is one of them for now.
  public var skippedLineCount: Int { lines.skippedLineCount }
  /// What is read, in words: "CSV with header, 3 series"; nil while no form was found.
  public var inWords: String? { lines.inWords }

  /// Reads a piece of what the device sends.
  ///
  /// - Parameters:
  ///   - time: the time of the lines that end in the piece, in seconds; nil for the number of the
  ///     line, from 0.
  ///   - body: gets the rows in the order of the lines. Lines that were kept until the form was
  ///     known have their own times.
  public mutating func read(
    _ bytes: UnsafeRawBufferPointer, at time: Double? = nil, _ body: (SampleRow) -> Void
  ) {
    var start = 0
    if isReturned, let first = bytes.first {
      if first == 0x0A { start = 1 }
      isReturned = false
    }
    while start < bytes.count {
      let end = Self.lineEnd(in: bytes, from: start)
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      guard end < bytes.count else {
        openTime = time
        return keep(part)
      }
      if open.isEmpty && !isTooLong {
        finish(part, at: time, body)
      } else {
        keep(part)
        finishOpen(at: time, body)
      }
      start = end + 1
      if bytes[end] == 0x0D {
        if start == bytes.count { isReturned = true } else if bytes[start] == 0x0A { start += 1 }
      }
    }
  }

  /// Reads the last line, if no line end follows it, with the time of its last byte, and lines of a
  /// short file whose form could not be found, if their form was chosen.
  public mutating func finish(_ body: (SampleRow) -> Void) {
    if !open.isEmpty || isTooLong { finishOpen(at: openTime, body) }
    lines.finish(body)
  }

  /// Forgets the open line: the port was lost, and what follows does not belong to it.
  public mutating func forgetLine() {
    open.removeAll(keepingCapacity: true)
    (isTooLong, isReturned) = (false, false)
  }

  private mutating func keep(_ part: UnsafeRawBufferPointer) {
    guard !isTooLong, open.count + part.count <= Self.maximalLineLength else {
      isTooLong = true
      open.removeAll(keepingCapacity: true)
      return
    }
    open.append(contentsOf: part)
  }

  private mutating func finishOpen(at time: Double?, _ body: (SampleRow) -> Void) {
    if isTooLong {
      lines.skip()
    } else {
      let line = open
      line.withUnsafeBytes { finish($0, at: time, body) }
    }
    open.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private mutating func finish(
    _ line: UnsafeRawBufferPointer, at time: Double?, _ body: (SampleRow) -> Void
  ) {
    guard line.count <= Self.maximalLineLength else { return lines.skip() }
    Self.pass(line, through: &text, to: &lines, at: time, body)
  }

  private static func pass(
    _ line: UnsafeRawBufferPointer, through text: inout LineText, to lines: inout LineNumbers,
    at time: Double?, _ body: (SampleRow) -> Void
  ) {
    text.with(line) { lines.read($0, at: time ?? Double(lines.lineCount), body) }
  }

  /// The position of the next CR or LF.
  private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while true {
      index = PlainText.printableEnd(in: bytes, from: index)
      guard index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D else { return index }
      index += 1
    }
  }
}
