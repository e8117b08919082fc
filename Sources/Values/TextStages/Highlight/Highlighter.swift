import Patterns
public import Time

/// Highlights matching text in the lines on the screen.
///
/// It holds nothing back: text is shown immediately, without highlights until its line ends. At the
/// end of the line, or after a pause, the line is searched. Matches that are already on the screen
/// are rewritten in place, as long as their position is certain: the line is in one row, and no
/// other code has written meanwhile.
///
/// It follows an ``EscapeFilter``, so that sequences and characters are complete, and precedes a
/// ``LineStamper``, whose timestamps are not part of the line.
public struct Highlighter: ByteStage {
  /// The maximum part of a line that is searched, in bytes, including the device's styles.
  public static let reach = 8_192
  /// The maximum numbers of steps: for a piece, for each of its bytes, and in total. Beyond that,
  /// nothing is highlighted. Text takes about ten steps per byte.
  private static let budgets = (piece: 200_000, byte: 200, most: 4_000_000)

  private let highlights: [Highlight]
  /// What tells quickly whether a highlight has a match.
  private var matchers: [LineMatcher]
  /// The number of columns before a line that this stage does not know.
  private let margin: Int
  private let columns: () -> Int
  private var line = HighlightedLine()
  private var budget = 0

  /// Creates a stage.
  ///
  /// - Parameters:
  ///   - highlights: the highlights; where two match the same text, the later one wins.
  ///   - margin: the maximum number of columns that a timestamp takes at the beginning
  ///     of each line.
  ///   - columns: returns the width of the screen when a line is rewritten; 0 if it is unknown.
  public init(
    _ highlights: [Highlight], margin: Int = 0, columns: @escaping () -> Int
  ) {
    self.highlights = highlights
    matchers = highlights.map { LineMatcher($0.pattern) }
    self.margin = margin
    self.columns = columns
  }

  /// The number of bytes that are kept of the line.
  var waiting: Int { line.count }

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    budget = min(Self.budgets.piece + Self.budgets.byte * bytes.count, Self.budgets.most)
    for part in ScreenParts(bytes) {
      switch part.kind {
      case .text: add(text: part.bytes, into: &output)
      case .tab: add(text: part.bytes, into: &output)
      case .style:
        if part.bytes.count > Self.reach - line.count { endLine(atMargin: false, into: &output) }
        line.append(style: part.bytes)
      case .lineFeed, .carriageReturn:
        // A line feed alone keeps the column.
        let isAtMargin = part.kind == .carriageReturn || line.isAtMargin && line.isEmpty
        endLine(atMargin: isAtMargin, into: &output)
        output.append(contentsOf: part.bytes)
      default:
        endLine(atMargin: false, into: &output)
        output.append(contentsOf: part.bytes)
      }
    }
    line.putOut(into: &output)
    return .changed
  }

  /// Whether a line is unfinished.
  public var isWaiting: Bool { !line.isEmpty }

  /// Highlights the unfinished line.
  public mutating func flush(into output: inout [UInt8]) {
    budget = Self.budgets.piece
    paintLine(into: &output)
  }

  /// Records that other code has moved the cursor: the text on the screen cannot be
  /// rewritten any more.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    line.leaveShown(forMargin: isAtMargin)
  }

  private mutating func add(text: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    var rest = text
    while rest.count > Self.reach - line.count {
      let count = PlainText.wholeCharacters(of: rest, atMost: Self.reach - line.count)
      if count > 0 { line.append(text: UnsafeRawBufferPointer(rebasing: rest[..<count])) }
      endLine(atMargin: false, into: &output)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    line.append(text: rest)
  }

  /// Shows the line so far. What follows is in the first column, or at an unknown position.
  private mutating func endLine(atMargin isAtMargin: Bool, into output: inout [UInt8]) {
    paintLine(into: &output)
    line.begin(atMargin: isAtMargin)
  }

  private mutating func paintLine(into output: inout [UInt8]) {
    let numbers =
      line.withPlainText { text in highlights.indices.filter { matchers[$0].matches(text) } }
      ?? Array(highlights.indices)
    line.paint(
      with: highlights, numbers, budget: &budget, onRowOf: columns() - margin, into: &output)
  }
}
