import TextStages
import TextTools
import Time

/// Splits a command's standard error into lines.
///
/// A CR restarts a line, as in a progress display. Such lines are shown at most once a second. Long
/// lines are split.
struct ErrorLines {
  /// The maximum length of a line, in bytes.
  static let limit = 1_024
  private static let interval = Duration.seconds(1)

  private var reader = LineReader(limit: limit, onReturn: .overwrites)
  /// What was shown of the open line.
  private var shown = ""
  private var lastProgress: MonotonicTime?

  /// Adds bytes.
  ///
  /// - Returns: the lines to show.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) -> [String] {
    var lines: [String] = []
    var index = 0
    while let event = reader.next(in: bytes, from: &index) {
      if event == .returned {
        if let lastProgress, now - lastProgress < Self.interval { continue }
        lastProgress = now
      }
      lines += unshown
      shown = event == .returned ? reader.text : ""
    }
    return lines
  }

  /// Ends the last line.
  mutating func flush() -> [String] {
    reader.finish()
    defer {
      reader.clear()
      shown = ""
    }
    return unshown
  }

  /// The line, unless it is empty or was shown.
  private var unshown: [String] {
    reader.isEmpty || reader.text == shown ? [] : [reader.text]
  }
}
