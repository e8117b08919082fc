import Logs
import PlainText
import Posix

/// Makes lines of what a command prints on its standard error.
///
/// CR lets a line begin again, as in a display of progress; such lines are shown once a second at most. Long
/// lines are broken.
struct ErrorLines {
  /// The longest line, in bytes.
  static let limit = 1_024
  private static let interval = Duration.seconds(1)

  private var line: [UInt8] = []
  /// A line that CR has ended, and that was not shown.
  private var overwritten: [UInt8] = []
  private var lastProgress: MonotonicTime?

  /// Takes bytes.
  ///
  /// - Returns: the lines to show.
  mutating func take(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) -> [String] {
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
    return text.isEmpty ? [] : [String(decoding: text, as: UTF8.self)]
  }
}
