import TextStages

/// Reads the numbers in what a device sends.
///
/// Lines are those of text logs; see ``LineReader``. A line counts when it fits the form; other
/// lines are skipped and counted, and nothing in them is guessed. The memory is bounded.
public struct SampleReader {
  /// The maximum length of a line in bytes. A longer line is skipped.
  public static let maximalLineLength = 65_536

  private var lines: LineNumbers
  private var reader = LineReader(limit: maximalLineLength)
  /// The time of the last byte of the open line; nil for the number of the line.
  private var openTime: Double?
  /// Whether the open line is too long.
  private var isTooLong = false

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
    openTime = time
    var index = 0
    while let event = reader.next(in: bytes, from: &index) {
      switch event {
      case .ended: endLine(at: time, body)
      case .cut: isTooLong = true
      case .returned: break
      }
    }
  }

  private mutating func endLine(at time: Double?, _ body: (SampleRow) -> Void) {
    if isTooLong {
      lines.skip()
    } else {
      reader.withText { lines.read($0, at: time ?? Double(lines.lineCount), body) }
    }
    isTooLong = false
  }

  /// Reads the last line, if no line end follows it, with the time of its last byte, and lines of a
  /// short file whose form could not be found, if their form was chosen.
  public mutating func finish(_ body: (SampleRow) -> Void) {
    reader.finish()
    if !reader.isEmpty || isTooLong { endLine(at: openTime, body) }
    forgetLine()
    lines.finish(body)
  }

  /// Forgets the open line: the port was lost, and what follows does not belong to it.
  public mutating func forgetLine() {
    reader = LineReader(limit: Self.maximalLineLength)
    isTooLong = false
  }
}
