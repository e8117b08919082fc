package import TextStages
import TextTools
package import Time

/// A frame on a line, or bytes between two frames.
package struct Frame: Hashable, Sendable {
  /// The time at which its first byte was read.
  package let moment: Moment
  /// The direction; nil if the line is shared and it is unknown.
  package let direction: Direction?
  private var frame: CheckedFrame

  init(_ frame: CheckedFrame, _ direction: Direction?, at moment: Moment) {
    (self.frame, self.direction, self.moment) = (frame, direction, moment)
  }

  /// The bytes as they were on the line, with delimiters and checksum.
  package var bytes: [UInt8] { frame.bytes }
  /// The bytes without delimiters and escapes.
  package var content: [UInt8] { frame.content }
  /// What the decoder says about it.
  package var decoded: DecodedFrame { frame.decoded }

  mutating func append(_ bytes: [UInt8]) { frame.bytes += bytes }
}

/// The numbers of frames, and of bytes between them.
package struct FrameCounts: Hashable, Sendable, CustomStringConvertible {
  /// Frames whose check is right, or that have none.
  package private(set) var goodCount = 0
  package private(set) var badCount = 0
  /// Bytes that belong to no frame.
  package private(set) var strayByteCount = 0

  package init() {}

  /// The numbers in words: `10 frames, 1 of them bad, 3 stray bytes`.
  package var description: String {
    var parts = [(goodCount + badCount).counted("frame")]
    if badCount > 0 { parts.append("\(badCount) of them bad") }
    if strayByteCount > 0 { parts.append(strayByteCount.counted("stray byte")) }
    return parts.joined(separator: ", ")
  }

  /// Counts a frame.
  package mutating func add(_ frame: Frame) {
    switch frame.decoded.check {
    case .none, .good: goodCount += 1
    case .bad: badCount += 1
    case .stray: strayByteCount += frame.bytes.count
    }
  }
}
