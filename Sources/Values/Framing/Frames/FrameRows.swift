package import TextStages
import TextTools
package import Time

/// Shows the frames of both directions, one in a line with its time. A frame that is wider than the
/// screen continues below its bytes.
package struct FrameRows: RowView {
  /// The numbers of frames so far.
  package private(set) var counts = FrameCounts()
  private let isText: Bool
  private let style: Style
  private var line: LineFrames
  private var stamps: LineStamper
  private var frames: [Frame] = []
  /// The width of the screen in columns; nil if there is none.
  private var columns: Int?

  /// How the lines are drawn.
  package struct Style: Hashable, Sendable {
    /// Whether lines have colours: wrong frames red, sent ones cyan, stray bytes dim.
    package var isColoured: Bool
    /// Whether arrows are drawn with ASCII characters.
    package var isASCII: Bool
    /// Whether the direction is shown.
    package var showsDirection: Bool

    package init(isColoured: Bool, isASCII: Bool, showsDirection: Bool) {
      (self.isColoured, self.isASCII) = (isColoured, isASCII)
      self.showsDirection = showsDirection
    }
  }

  /// Creates rows without any bytes.
  ///
  /// - Parameter stamps: writes the time of each frame.
  package init(_ form: ChosenFrameForm, stamps: LineStamper, style: Style) {
    isText = form.isText
    self.stamps = stamps
    self.style = style
    // The bytes of a bus with one pair of wires all come from one side.
    line = LineFrames(form, knowsDirection: style.showsDirection)
  }

  package mutating func show(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, at moment: Moment,
    into output: inout [UInt8]
  ) {
    line.receive(bytes, direction, at: moment, into: &frames)
    append(to: &output)
  }

  package var isWaiting: Bool { line.waitingCount > 0 }

  package var gap: Duration? { line.silence }

  package mutating func endRow(into output: inout [UInt8]) {
    line.end(into: &frames)
    append(to: &output)
  }

  package var writesTime: Bool { true }

  package mutating func fit(columns: Int) { self.columns = columns }

  private mutating func append(to output: inout [UInt8]) {
    for frame in frames {
      counts.add(frame)
      let line = Self.line(
        of: frame, isText: isText, style, columns: columns, margin: stamps.width)
      // Only the first row of a frame has a time.
      let rest = line.firstIndex(of: UInt8(ascii: "\r")) ?? line.count
      stamp(line[..<rest], at: frame.moment, into: &output)
      output += line[rest...]
      stamp([UInt8(ascii: "\r"), UInt8(ascii: "\n")], at: frame.moment, into: &output)
    }
    frames.removeAll(keepingCapacity: true)
  }

  private mutating func stamp(
    _ bytes: ArraySlice<UInt8>, at moment: Moment, into output: inout [UInt8]
  ) {
    bytes.withUnsafeBytes { _ = stamps.transform($0, at: moment, into: &output) }
  }

  /// A frame as a line without a time and an end.
  ///
  /// - Parameters:
  ///   - isText: whether the bytes are shown as text.
  ///   - columns: the width of the screen, at which the line is broken into rows with CR LF between
  ///     them, at spaces and after commas; nil for one row.
  ///   - margin: the width of the time before the line.
  package static func line(
    of frame: Frame, isText: Bool, _ style: Style, columns: Int? = nil, margin: Int = 0
  ) -> [UInt8] {
    var line: [UInt8] = []
    let colour = style.isColoured ? colour(of: frame) : nil
    if let colour { line.append(colour) }
    var text = frame.text(isText: isText, isASCII: style.isASCII)
    if let columns {
      let width = columns - margin
      let isRoomy = frame.textMargin <= width / 2
      // The bytes begin in the first row, also where they have no space to break at.
      let head = isRoomy ? text.prefix(ofWidth: frame.textMargin) : ""
      let indentation = isRoomy ? 0 : width / 2
      let rows = String(text.dropFirst(head.count)).wrapped(
        toWidth: width - head.displayWidth, indentation: indentation, losesNothing: true)
      text =
        head
        + rows.joined(
          separator: "\r\n" + String(repeating: " ", count: margin + head.displayWidth))
    }
    line.append(text)
    if colour != nil { line.append("\u{1B}[0m" as StaticString) }
    return line
  }

  private static func colour(of frame: Frame) -> StaticString? {
    switch frame.decoded.check {
    case .bad: "\u{1B}[31m"
    case .stray: "\u{1B}[2m"
    case .none, .good: frame.direction == .toDevice ? "\u{1B}[36m" : nil
    }
  }
}
