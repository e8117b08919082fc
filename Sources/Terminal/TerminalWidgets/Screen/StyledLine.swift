import TextTools

/// A line of the screen: text with attributes and colours.
public struct StyledLine: Hashable, Sendable {
  /// The attributes and the colour of a piece of text.
  public struct Style: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    /// Creates a style from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = Style(rawValue: 1)
    public static let dimmed = Style(rawValue: 2)
    public static let underlined = Style(rawValue: 4)
    public static let reversed = Style(rawValue: 8)

    /// A colour of the text.
    public enum Colour: UInt8, Sendable, CaseIterable {
      /// The terminal's own colours. Which of them can be read depends on its background.
      case red = 1
      case green, yellow, blue, magenta, cyan
      /// Colours of the palette of 256, which can be read on black and on white: their contrast
      /// with both is 3.5 or more (WCAG 2.2). Blue and red, which the eye sees as dark, are the
      /// brightest that white allows.
      case mediumBlue = 8
      case mediumBrown, mediumGreen, mediumMagenta, mediumRed, mediumTeal

      /// The parameters of SGR.
      var code: String {
        switch self {
        case .red, .green, .yellow, .blue, .magenta, .cyan: "\(30 + rawValue)"
        case .mediumBlue: "38;5;33"
        case .mediumBrown: "38;5;130"
        case .mediumGreen: "38;5;28"
        case .mediumMagenta: "38;5;164"
        case .mediumRed: "38;5;196"
        case .mediumTeal: "38;5;30"
        }
      }
    }

    /// The colour; nil for the terminal's own.
    public var colour: Colour? { Colour(rawValue: rawValue >> 4) }

    /// A style with a colour.
    public static func coloured(_ colour: Colour) -> Style { Style(rawValue: colour.rawValue << 4) }
  }

  /// A piece of text in one style.
  public struct Run: Hashable, Sendable {
    public let text: String
    public let style: Style
  }

  /// The pieces from left to right. Neighbours have different styles.
  public private(set) var runs: [Run] = []

  /// Creates a line.
  public init(_ text: String = "", _ style: Style = []) { append(text, style) }

  /// The text without its styles.
  public var text: String { runs.map(\.text).joined() }

  /// The width of the line in columns.
  public var width: Int { runs.reduce(0) { $0 + $1.text.displayWidth } }

  /// Appends text, with control characters made visible.
  public mutating func append(_ text: String, _ style: Style = []) {
    guard !text.isEmpty else { return }
    let text = text.visibleForm
    if let last = runs.last, last.style == style {
      runs[runs.count - 1] = Run(text: last.text + text, style: style)
    } else {
      runs.append(Run(text: text, style: style))
    }
  }

  /// Appends another line.
  public mutating func append(_ other: StyledLine) {
    for run in other.runs { append(run.text, run.style) }
  }

  /// The line in at most a number of columns. An ellipsis replaces the rest.
  public func truncated(toWidth width: Int) -> StyledLine {
    guard self.width > width, width > 0 else { return clipped(toWidth: width) }
    var line = clipped(toWidth: width - 1)
    line.append("…", line.runs.last?.style ?? [])
    return line
  }

  /// The line, clipped to a width in columns.
  public func clipped(toWidth width: Int) -> StyledLine {
    var left = width
    var line = StyledLine()
    for run in runs where left > 0 {
      let text = run.text.prefix(ofWidth: left)
      line.append(text, run.style)
      // Text that did not fit ends the line, even if a narrower character follows.
      left = text == run.text ? left - text.displayWidth : 0
    }
    return line
  }

  /// The line broken into lines of a width, at spaces where possible. All lines but the first begin
  /// with an indentation, which must be less than the width. They have the style of the first run.
  public func wrapped(toWidth width: Int, indentation: Int) -> [StyledLine] {
    guard self.width > width, let style = runs.first?.style, indentation < width else {
      return [self]
    }
    return text.wrapped(toWidth: width, indentation: indentation).map { StyledLine($0, style) }
  }

  /// The line, followed by spaces in a style up to a width in columns.
  public func padded(toWidth width: Int, _ style: Style = []) -> StyledLine {
    var line = self
    line.append(String(repeating: " ", count: max(0, width - self.width)), style)
    return line
  }
}
