import Views

/// How a session is shown on the screen.
struct ViewSettings: Hashable {
  /// Whether bytes are shown as hexadecimal numbers.
  var isHex = false
  /// How long a pause must be to end a row of numbers.
  var hexGap = Duration.milliseconds(50)
  /// Whether what is typed is shown too.
  var echoesLocally = false
  /// The time in front of each line; nil for none.
  var timestamps: TimestampFormat?
  /// What is changed in what the device sends, and in what is sent to it.
  var map = MapList()
  /// What is highlighted in the lines.
  var highlights: [Highlight] = []
  /// Whether highlighting is on.
  var isHighlighting = false
  /// Whether every escape sequence of the device reaches the terminal.
  var isRaw = false
}
