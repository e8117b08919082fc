import Encodings
import Framing
import TextStages
import TextTools

/// The last bytes that a device sent, to explain why an expectation was not met: as lines, as
/// frames, or as bytes if they are no text.
struct ReceivedTail {
  /// The number of bytes that are kept.
  static let capacity = 2_048
  private static let maximalLines = 5
  private static let maximalWidth = 120
  /// The maximum number of bytes that are shown one by one.
  private static let maximalBytes = 64

  /// The encoding of the device's text.
  var encoding = Encoding.utf8
  private var bytes: [UInt8] = []
  private var count = 0
  private var frames: [String] = []

  /// Whether older bytes were dropped.
  private var isCut: Bool { count > bytes.count }

  mutating func add(_ piece: UnsafeRawBufferPointer) {
    bytes += piece.suffix(Self.capacity)
    count &+= piece.count
    if bytes.count > 2 * Self.capacity { trim() }
  }

  /// Adds a frame of the form in which is searched. Frames that were sent are left out.
  ///
  /// - Parameter isText: whether its bytes are shown as text.
  mutating func add(_ frame: Frame, isText: Bool) {
    guard frame.direction != .toDevice else { return }
    if frames.count == Self.maximalLines { frames.removeFirst() }
    frames.append(Self.shortened(frame.text(isText: isText)))
  }

  private mutating func trim() { bytes.removeFirst(max(bytes.count - Self.capacity, 0)) }

  private static func shortened(_ line: String) -> String {
    let shown = String(line.prefix(maximalWidth)).harmlessLine
    return line.count > maximalWidth ? "\(shown)…" : shown
  }

  /// The last frames; or the last lines, including an unfinished one, as a screen has them; or the
  /// last bytes. Each is shortened to a readable length. Empty lines are omitted.
  var lines: [String] {
    if !frames.isEmpty { return frames }
    return textLines ?? (bytes.isEmpty ? [] : [shownBytes])
  }

  /// A message, followed by the lines.
  func message(_ text: String) -> String {
    let heading =
      if !frames.isEmpty {
        "The last frames received:"
      } else if textLines != nil {
        "The last lines received:"
      } else if count > 0 {
        "\(count.bytesWere) received:"
      } else {
        "Nothing was received."
      }
    return (["\(text) \(heading)"] + lines.map { "  | \($0)" }).joined(separator: "\n")
  }

  /// The last lines; nil if there are none, or if the bytes are no text.
  private var textLines: [String]? {
    var tail = self
    tail.trim()
    let received = (try? DecodingStage.text(of: tail.bytes, in: encoding)) ?? tail.bytes
    guard Self.isText(received) else { return nil }
    // If earlier bytes were dropped, the first line is the rest of a longer one.
    let text = tail.isCut ? Array("…".utf8) + received : received
    let all = text.withUnsafeBytes(LineReader.lines(of:)).filter { !$0.isEmpty && $0 != "…" }
    return all.isEmpty ? nil : all.suffix(Self.maximalLines).map(Self.shortened)
  }

  /// The control characters of text.
  private static let controls: Set<Unicode.Scalar> = Set(
    "\u{07}\u{08}\t\n\u{0B}\u{0C}\r\u{1B}".unicodeScalars)

  /// Whether bytes are text for a person. A few bytes with one that a screen does not show, such as
  /// ACK or NAK before an answer, are not; a long text may have some: noise after a reset.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    var oddCount = 0
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      // BEL, BS, TAB, the ends of lines and ESC are not shown as they are, and belong to text.
      let isControl = scalar.properties.generalCategory == .control
      if scalar == "\u{FFFD}" || isControl && !controls.contains(scalar) { oddCount += 1 }
    }
    return bytes.count <= maximalBytes ? oddCount == 0 : oddCount < bytes.count / 8
  }

  private var shownBytes: String {
    (count > Self.maximalBytes ? "…" : "") + HexText.escaped(bytes.suffix(Self.maximalBytes))
  }
}
