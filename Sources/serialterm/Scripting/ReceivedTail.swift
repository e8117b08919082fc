import Encodings
import TextStages
import TextTools

/// The last lines that a device sent, to explain why an expectation was not met.
struct ReceivedTail {
  /// The number of bytes that are kept.
  static let capacity = 2_048
  private static let maximalLines = 5
  private static let maximalWidth = 120

  /// The encoding of the device's text.
  var encoding = Encoding.utf8
  private var bytes: [UInt8] = []
  /// Whether older bytes were dropped.
  private var isCut = false

  mutating func add(_ piece: UnsafeRawBufferPointer) {
    bytes += piece.suffix(Self.capacity)
    isCut = isCut || piece.count > Self.capacity
    if bytes.count > 2 * Self.capacity { trim() }
  }

  private mutating func trim() {
    guard bytes.count > Self.capacity else { return }
    bytes.removeFirst(bytes.count - Self.capacity)
    isCut = true
  }

  /// The last lines, including an unfinished one, as a screen has them. Each is shortened to a
  /// readable length. Empty lines are omitted.
  var lines: [String] {
    var tail = self
    tail.trim()
    let received = (try? DecodingStage.text(of: tail.bytes, in: encoding)) ?? tail.bytes
    // If earlier bytes were dropped, the first line is the rest of a longer one.
    let text = tail.isCut ? Array("…".utf8) + received : received
    let all = text.withUnsafeBytes(LineReader.lines(of:)).filter { !$0.isEmpty }
    return all.suffix(Self.maximalLines).map { line in
      let shown = String(line.prefix(Self.maximalWidth)).harmlessLine
      return line.count > Self.maximalWidth ? "\(shown)…" : shown
    }
  }

  /// A message, followed by the lines.
  func message(_ text: String) -> String {
    let lines = lines
    guard !lines.isEmpty else { return "\(text) Nothing was received." }
    return (["\(text) The last lines received:"] + lines.map { "  | \($0)" })
      .joined(separator: "\n")
  }
}
