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

  private var line: [UInt8] = []
  /// A line that ended with CR and was not shown.
  private var overwritten: [UInt8] = []
  private var lastProgress: MonotonicTime?

  /// Adds bytes.
  ///
  /// - Returns: the lines to show.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      switch byte {
      case 0x0A:
        lines += flush()
      case 0x0D:
        if !line.isEmpty { overwritten = line }
        line.removeAll(keepingCapacity: true)
        if !overwritten.isEmpty, lastProgress.map({ now - $0 >= Self.interval }) ?? true {
          lastProgress = now
          lines += flush()
        }
      default:
        line.append(byte)
        if line.count >= Self.limit { lines += flush() }
      }
    }
    return lines
  }

  /// Ends the last line.
  mutating func flush() -> [String] {
    let bytes = line.isEmpty ? overwritten : line
    line.removeAll(keepingCapacity: true)
    overwritten = []
    var text: [UInt8] = []
    var stripper = SequenceStripper()
    bytes.withUnsafeBytes { stripper.strip($0, into: &text) }
    stripper.finish(into: &text)
    return text.isEmpty ? [] : [String(decoding: text, as: UTF8.self)]
  }
}
