/// A line of the screen: text with attributes, none of which is colour.
public struct StyledLine: Hashable, Sendable {
  /// How a piece of text is set off.
  public struct Style: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    /// Creates a style from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = Style(rawValue: 1)
    public static let dimmed = Style(rawValue: 2)
    public static let underlined = Style(rawValue: 4)
    public static let reversed = Style(rawValue: 8)
  }

  /// A piece of text in one style.
  public struct Run: Hashable, Sendable {
    public let text: String
    public let style: Style
  }

  /// The pieces from left to right; neighbours differ in style.
  public private(set) var runs: [Run] = []

  /// Creates a line.
  public init(_ text: String = "", _ style: Style = []) { append(text, style) }

  /// The text without its styles.
  public var text: String { runs.map(\.text).joined() }

  /// How many columns the line takes.
  public var width: Int { runs.reduce(0) { $0 + $1.text.displayWidth } }

  /// Adds text at the right, with what a terminal would obey made visible.
  public mutating func append(_ text: String, _ style: Style = []) {
    guard !text.isEmpty else { return }
    let text = text.visibleForm
    if let last = runs.last, last.style == style {
      runs[runs.count - 1] = Run(text: last.text + text, style: style)
    } else {
      runs.append(Run(text: text, style: style))
    }
  }

  /// The line in no more than so many columns.
  public func clipped(toWidth width: Int) -> StyledLine {
    var left = width
    var line = StyledLine()
    for run in runs where left > 0 {
      let text = run.text.prefix(ofWidth: left)
      line.append(text, run.style)
      // What did not fit ends the line, also if a narrower character follows.
      left = text == run.text ? left - text.displayWidth : 0
    }
    return line
  }

  /// The line in as many lines as it needs at a width, broken at spaces where there are any; all but
  /// the first begin with an indentation, of less than the width. The lines have the first run's style.
  public func wrapped(toWidth width: Int, indentation: Int) -> [StyledLine] {
    guard self.width > width, let style = runs.first?.style, indentation < width else {
      return [self]
    }
    var lines: [StyledLine] = []
    var rest = text
    while !rest.isEmpty {
      let indent = String(repeating: " ", count: lines.isEmpty ? 0 : indentation)
      let room = width - indent.count
      // A wide character in one column has no room: it is left to the terminal.
      var piece = rest.prefix(ofWidth: room)
      if piece.isEmpty { piece = String(rest.prefix(1)) }
      let next = rest.dropFirst(piece.count).first
      if next != nil, next != " ", let space = piece.lastIndex(of: " "),
        piece[..<space].contains(where: { $0 != " " })
      {
        piece = String(piece[..<space])
      }
      lines.append(StyledLine(indent + piece, style))
      rest = String(rest.dropFirst(piece.count).drop { $0 == " " })
    }
    return lines
  }

  /// The line followed by spaces in a style, up to a width in columns.
  public func padded(toWidth width: Int, _ style: Style = []) -> StyledLine {
    var line = self
    line.append(String(repeating: " ", count: max(0, width - self.width)), style)
    return line
  }
}
