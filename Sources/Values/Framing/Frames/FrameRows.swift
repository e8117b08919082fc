package import TextStages
import TextTools
package import Time

/// Shows the frames of both directions, one in a line with its time.
package struct FrameRows: RowView {
  /// The numbers of frames so far.
  package private(set) var counts = FrameCounts()
  private let isText: Bool
  private let style: Style
  private var line: LineFrames
  private var stamps: LineStamper
  private var frames: [Frame] = []

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

  private mutating func append(to output: inout [UInt8]) {
    for frame in frames {
      counts.add(frame)
      var line = Self.line(of: frame, isText: isText, style)
      line.append("\r\n" as StaticString)
      line.withUnsafeBytes { _ = stamps.transform($0, at: frame.moment, into: &output) }
    }
    frames.removeAll(keepingCapacity: true)
  }

  /// A frame as a line without a time and an end.
  ///
  /// - Parameter isText: whether the bytes are shown as text.
  package static func line(of frame: Frame, isText: Bool, _ style: Style) -> [UInt8] {
    var line: [UInt8] = []
    let colour = style.isColoured ? colour(of: frame) : nil
    if let colour { line.append(colour) }
    line.append(frame.text(isText: isText, isASCII: style.isASCII))
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
