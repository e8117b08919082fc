import Patterns
import TextTools
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
  /// The maximum part of a line that is searched, in code points.
  public static let reach = 1_024
  /// The maximum number of bytes that are kept of a line, including the device's styles: a device
  /// may send only styles.
  static let byteReach = 65_536
  /// The maximum numbers of steps: for a piece, for each of its bytes, and in total. Beyond that,
  /// nothing is highlighted. Text takes about ten steps per byte.
  private static let budgets = (piece: 200_000, byte: 200, most: 4_000_000)

  private let highlights: [Highlight]
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
    self.margin = margin
    self.columns = columns
  }

  /// The number of bytes that are kept of the line.
  var waiting: Int { line.byteCount }

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    budget = min(Self.budgets.piece + Self.budgets.byte * bytes.count, Self.budgets.most)
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case .lineFeed, .carriageReturn:
        finishLine(into: &output)
        output.append(bytes[index])
        // A line feed alone keeps the column.
        let isAtMargin = line.isAtMargin && line.count == 0
        line.begin(atMargin: isAtMargin || bytes[index] == .carriageReturn)
        index += 1
      case .escape:
        index = readSequence(in: bytes, from: index, into: &output)
      case .tab:
        line.append(bytes[index], scalar: 0x20, width: nil)
        index += 1
      case 0..<0x20, .delete:
        leaveLine(into: &output)
        output.append(bytes[index])
        index += 1
      default:
        index = readCharacter(in: bytes, from: index)
      }
      if line.count > Self.reach || line.byteCount > Self.byteReach { leaveLine(into: &output) }
    }
    line.putOut(into: &output)
    return .changed
  }

  /// Whether a line is unfinished.
  public var isWaiting: Bool { line.count > 0 }

  /// Highlights the unfinished line.
  public mutating func flush(into output: inout [UInt8]) {
    budget = Self.budgets.piece
    finishLine(into: &output)
  }

  /// Records that other code has moved the cursor: the text on the screen cannot be
  /// rewritten any more.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    line.leaveShown(forMargin: isAtMargin)
  }

  private mutating func readCharacter(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let first = bytes[start]
    guard first >= 0x80, var character = UTF8Character(first: first) else {
      line.append(first, scalar: UInt32(first), width: first < 0x80 ? 1 : nil)
      return start + 1
    }
    var end = start + 1
    while !character.isComplete, end < bytes.count, character.append(bytes[end]) { end += 1 }
    // Terminals differ about characters that are joined.
    let columns =
      character.isComplete ? Unicode.Scalar(character.codePoint).map(\.displayWidth) ?? 0 : 0
    line.append(
      bytes, in: start..<end, scalar: character.codePoint,
      width: columns > 0 ? columns : nil)
    return end
  }

  /// Handles a sequence. Colours belong to the line; any other sequence leaves it.
  private mutating func readSequence(
    in bytes: UnsafeRawBufferPointer, from start: Int, into output: inout [UInt8]
  ) -> Int {
    let end = LineSequence.end(in: bytes, from: start)
    let sequence = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    if LineSequence(sequence) == .style {
      line.append(style: sequence)
      return end
    }
    leaveLine(into: &output)
    output.append(bytes, in: start..<end)
    return end
  }

  /// Ends the text so far, because the line continues at another position.
  private mutating func leaveLine(into output: inout [UInt8]) {
    finishLine(into: &output)
    line.begin(atMargin: false)
  }

  private mutating func finishLine(into output: inout [UInt8]) {
    guard line.count > 0 else { return line.putOut(into: &output) }
    for (number, highlight) in highlights.enumerated() {
      for match in highlight.pattern.matches(in: line.scalars, budget: &budget) {
        line.mark(match, as: number)
      }
    }
    line.paint(with: highlights, onRowOf: columns() - margin, into: &output)
  }
}
