package import TextStages

/// How a session is shown on the screen.
package struct ViewSettings: Hashable {
  /// Whether bytes are shown as hexadecimal numbers.
  package var isHex: Bool
  /// The pause that ends a row of the hex view.
  package var hexGap: Duration
  /// Whether local echo is on.
  package var echoesLocally: Bool
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
    isHex: Bool = false, hexGap: Duration = .milliseconds(50), echoesLocally: Bool = false,
    timestamps: TimestampFormat? = nil, map: MapList = MapList(), highlights: [Highlight] = [],
    isHighlighting: Bool = false, isRaw: Bool = false
  ) {
    self.isHex = isHex
    self.hexGap = hexGap
    self.echoesLocally = echoesLocally
    self.timestamps = timestamps
    self.map = map
    self.highlights = highlights
    self.isHighlighting = isHighlighting
    self.isRaw = isRaw
  }
}
