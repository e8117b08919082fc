import Views

/// How a session is shown on the screen.
struct ViewSettings: Hashable {
  /// Whether bytes are shown as hexadecimal numbers.
  var isHex = false
  /// The pause that ends a row of the hex view.
  var hexGap = Duration.milliseconds(50)
  /// Whether local echo is on.
  var echoesLocally = false
  /// The format of timestamps; nil for none.
  var timestamps: TimestampFormat?
  /// The maps of characters, in both directions.
  var map = MapList()
  /// The expressions to highlight.
  var highlights: [Highlight] = []
  /// Whether highlighting is on.
  var isHighlighting = false
  /// Whether every escape sequence of the device reaches the terminal.
  var isRaw = false
}
