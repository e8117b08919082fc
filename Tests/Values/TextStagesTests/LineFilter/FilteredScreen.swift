import Patterns
import TerminalWidgets
import TestSupport
import TextStages
import Time

/// A terminal behind a line filter.
struct FilteredScreen {
  private(set) var pipeline: Pipeline
  private(set) var screen: ScreenModel
  /// All bytes that reached the screen.
  private(set) var output: [UInt8] = []

  init(
    _ rules: LineRules, columns: Int = 20, rows: Int = 6, draws: Bool = true,
    isStamping: Bool = false, margin: ClosedRange<Int>? = nil, isASCII: Bool = false,
    isAtMargin: Bool = true
  ) {
    screen = ScreenModel(ScreenSize(rows: rows, columns: columns))
    let format = TimestampFormat(.epoch)
    // The tests begin in 1970: one digit, point, three digits, brackets and a blank.
    let filter = LineFilter(
      rules, isAtMargin: isAtMargin, draws: draws, showsUTF8: !isASCII,
      margin: margin ?? (isStamping ? 8...8 : 0...0),
      size: { (columns, rows) })
    var stages: [any ByteStage] = [EscapeFilter(), filter]
    if isStamping {
      stages.append(LineStamper(format, start: .any) { _ in fatalError("no calendar is needed") })
    }
    pipeline = Pipeline(stages)
  }

  var filter: LineFilter {
    get {
      guard let filter = pipeline.stages[1] as? LineFilter else { fatalError("no filter") }
      return filter
    }
    set { pipeline.stages[1] = newValue }
  }

  mutating func receive(_ text: String, second: UInt64 = 0) {
    receive(Array(text.utf8), second: second)
  }

  mutating func receive(_ bytes: [UInt8], second: UInt64 = 0) {
    let moment = Moment(wallClock: second * 1_000_000_000, monotonic: 0)
    show(bytes.withUnsafeBytes { pipeline.transform($0, at: moment) } ?? bytes)
  }

  mutating func pause() { show(pipeline.flush(at: .any)) }

  /// A line that the program writes.
  mutating func program(_ line: String) {
    show(Array("\r\n\(line)\r\n".utf8))
    pipeline.cursorDidMove(toMargin: true)
  }

  private mutating func show(_ bytes: [UInt8]) {
    output += bytes
    screen.write(bytes)
  }

  /// The cells of the screen. The colours of blanks are left out: they cannot be seen.
  var cells: [[ScreenModel.Cell]] {
    screen.grid.map { row in row.map { $0.character == " " ? ScreenModel.Cell() : $0 } }
  }

  /// The lines down to the cursor's row.
  var lines: [String] { screen.history }
  var text: String { String(decoding: output, as: UTF8.self) }
}

func rules(
  show: [String] = [], hide: [String] = [], level: LogLevel? = nil, collapse: Bool = false
) throws -> LineRules {
  LineRules(
    shown: try show.map { try Pattern(parsing: $0) },
    hidden: try hide.map { try Pattern(parsing: $0) }, level: level, collapses: collapse)
}
