import Views

/// How what the device sends is shown.
struct ViewSettings: Hashable {
  /// Whether bytes are shown as hexadecimal numbers.
  var isHex = false
  /// How long the device must be silent for a line of numbers to end.
  var hexGap = Duration.milliseconds(50)
  /// Whether lines of numbers say which way their bytes went.
  var marksDirection = false
  /// What stands in front of each line; nil for nothing.
  var timestamps: TimestampFormat?
  /// What is changed of what the device sends, and of what is sent to it.
  var map = MapList()
  /// What is set off in the lines.
  var highlights: [Highlight] = []
  /// Whether it is set off now.
  var isHighlighting = false
  /// Whether every escape sequence of the device reaches the terminal.
  var isRaw = false
}
