import Patterns

/// Sets off what is looked for in the lines on the screen.
///
/// Nothing is kept back: what comes is put out at once, as it is while its line is not ended. At the
/// line's end, or after a pause, the line is looked at; what has to be set off and is on the screen
/// already is written once more over itself, for as long as it is certain where that is: the line
/// stands in one row, and nobody else has written meanwhile.
///
/// It stands behind an ``EscapeFilter``, so that sequences and characters come whole, and in front of
/// a ``LineStamper``, whose stamps are no part of the line.
public struct Highlighter: ByteStage {
  /// How much of a line is looked at, in code points.
  public static let reach = 1_024
  /// How many bytes of a line are kept, the device's styles among them: a device may send nothing else.
  static let byteReach = 65_536
  /// How many steps may be made for a piece, and for each of its bytes, and at most; in what comes
  /// then nothing is set off. Text takes some ten for a byte.
  private static let budgets = (piece: 200_000, byte: 200, most: 4_000_000)

  private let highlights: [Highlight]
  /// Columns in front of a line that are not known here.
  private let margin: Int
  private let columns: () -> Int
  private let width: (Unicode.Scalar) -> Int
  private var line = HighlightedLine()
  private var budget = 0

  /// Creates a stage.
  ///
  /// - Parameters:
  ///   - highlights: what is set off; where two want the same text, the later has it.
  ///   - margin: how many columns may be taken in front of each line, by a stamp.
  ///   - columns: asked for the width of the screen when a line is written once more; 0 if it is not
  ///     known.
  ///   - width: how many columns a character takes.
  public init(
    _ highlights: [Highlight], margin: Int = 0, columns: @escaping () -> Int,
    width: @escaping (Unicode.Scalar) -> Int
  ) {
    self.highlights = highlights
    self.margin = margin
    self.columns = columns
    self.width = width
  }

  /// How many bytes of the line are kept.
  var waiting: Int { line.byteCount }

  /// Takes a piece; see ``ByteStage/transform(_:at:into:)``.
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
        index = takeSequence(in: bytes, from: index, into: &output)
      case .tab:
        line.append(bytes[index], scalar: 0x20, width: nil)
        index += 1
      case 0..<0x20, .delete:
        leaveLine(into: &output)
        output.append(bytes[index])
        index += 1
      default:
        index = takeCharacter(in: bytes, from: index)
      }
      if line.count > Self.reach || line.byteCount > Self.byteReach { leaveLine(into: &output) }
    }
    line.putOut(into: &output)
    return .changed
  }

  /// Whether a line is unfinished.
  public var isWaiting: Bool { line.count > 0 }

  /// Sets off what is in the unfinished line.
  public mutating func flush(into output: inout [UInt8]) {
    budget = Self.budgets.piece
    finishLine(into: &output)
  }

  /// What is on the screen is out of reach.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    line.leaveShown(forMargin: isAtMargin)
  }

  private mutating func takeCharacter(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let first = bytes[start]
    guard first >= 0x80, var character = UTF8Character(first: first) else {
      line.append(first, scalar: UInt32(first), width: first < 0x80 ? 1 : nil)
      return start + 1
    }
    var end = start + 1
    while !character.isComplete, end < bytes.count, character.take(bytes[end]) { end += 1 }
    // Terminals differ about what joins characters.
    let columns = character.isComplete ? Unicode.Scalar(character.codePoint).map(width) ?? 0 : 0
    line.append(
      bytes, in: start..<end, scalar: character.codePoint,
      width: columns > 0 ? columns : nil)
    return end
  }

  /// Colours belong to the line; what else a sequence does leaves it.
  private mutating func takeSequence(
    in bytes: UnsafeRawBufferPointer, from start: Int, into output: inout [UInt8]
  ) -> Int {
    var end = min(start + 2, bytes.count)
    if end == start + 2, bytes[start + 1] == UInt8(ascii: "[") {
      while end < bytes.count, !(0x40..<0x7F).contains(bytes[end]) { end += 1 }
      end = min(end + 1, bytes.count)
      if bytes[end - 1] == UInt8(ascii: "m") {
        line.append(style: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        return end
      }
    }
    leaveLine(into: &output)
    output.append(bytes, in: start..<end)
    return end
  }

  /// The line goes on in another place: what is there already is ended.
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
