package import Encodings
package import Framing
package import TextStages

/// How a session is shown on the screen.
package struct ViewSettings: Hashable {
  /// Whether bytes are shown as hexadecimal numbers.
  package var isHex: Bool
  /// The pause that ends a row of the hex view.
  package var hexGap: Duration
  /// The form of frames that are shown instead of text; nil for text.
  package var frames: ChosenFrameForm?
  /// The encoding of the device's text, in both directions.
  package var encoding: Encoding
  /// Which lines are shown.
  package var lines: LineRules
  /// Whether local echo is on.
  package var echoesLocally: Bool
  /// The direction of everything that is shown, where two ports are joined; nil if received bytes
  /// come from the device, and echoed ones go to it.
  package var lineDirection: Direction?
  /// The format of timestamps; nil for none.
  package var timestamps: TimestampFormat?
  /// The maps of characters, in both directions.
  package var map: MapList
  /// The expressions to highlight.
  package var highlights: [Highlight]
  /// Whether highlighting is on.
  package var isHighlighting: Bool
  /// Whether every escape sequence of the device reaches the terminal.
  package var isRaw: Bool

  package init(
    isHex: Bool = false, hexGap: Duration = .milliseconds(50),
    frames: ChosenFrameForm? = nil, encoding: Encoding = .utf8, lines: LineRules = LineRules(),
    echoesLocally: Bool = false,
    lineDirection: Direction? = nil, timestamps: TimestampFormat? = nil, map: MapList = MapList(),
    highlights: [Highlight] = [],
    isHighlighting: Bool = false, isRaw: Bool = false
  ) {
    self.isHex = isHex
    self.hexGap = hexGap
    self.frames = frames
    self.encoding = encoding
    self.lines = lines
    self.echoesLocally = echoesLocally
    self.lineDirection = lineDirection
    self.timestamps = timestamps
    self.map = map
    self.highlights = highlights
    self.isHighlighting = isHighlighting
    self.isRaw = isRaw
  }

  /// Whether rows show their direction.
  package var showsDirection: Bool { echoesLocally || lineDirection != nil }

  /// Whether bytes are shown in rows instead of text: as hexadecimal numbers or as frames.
  package var showsRows: Bool { isHex || frames != nil }
}
