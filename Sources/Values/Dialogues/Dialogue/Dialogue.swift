import Patterns
import TransferProtocols

/// A dialogue with a device: the texts to send and to expect, as steps.
public struct Dialogue {
  /// The maximum size of a script in bytes.
  public static let largestScript = 1_048_576

  /// The steps, in order.
  public let steps: [Step]
  /// The first line that expects a frame, counted from 1; nil if none does. The device's bytes must
  /// then be searched as frames.
  public let frameLine: Int?

  /// The texts that the script sends, as far as they are known before it runs, each with its line.
  public var sentTexts: [(line: Int, bytes: [UInt8])] { steps.flatMap(\.sentTexts) }
}

/// A step of a dialogue, with its line in the script, counted from 1.
public struct Step {
  public let line: Int
  let action: Action

  /// The action of a step.
  indirect enum Action {
    case send(Text)
    case expect([Case], within: Duration?)
    case wait(Duration)
    case set(OutputLine, isOn: Bool)
    case setBaudRate(UInt32)
    case sendBreak(Duration)
    case pulse(OutputLine, Duration)
    case transfer(FileStep.Direction, Text, TransferProtocol)
    case `repeat`(Int, [Step])
    case rounds(Rounds, [Step])
    case `try`([Step], otherwise: [Step])
    case print(Text)
    case fail(Text)
  }

  /// The texts that it sends, and those of the steps in it, without the parts that come from
  /// a match.
  fileprivate var sentTexts: [(line: Int, bytes: [UInt8])] {
    switch action {
    case .send(let text):
      text.parts.compactMap { if case .bytes(let bytes) = $0 { (line, bytes) } else { nil } }
    case .expect(let cases, _): cases.flatMap { $0.steps.flatMap(\.sentTexts) }
    case .repeat(_, let steps), .rounds(_, let steps): steps.flatMap(\.sentTexts)
    case .try(let steps, let otherwise): (steps + otherwise).flatMap(\.sentTexts)
    case .wait, .set, .setBaudRate, .sendBreak, .pulse, .transfer, .print, .fail: []
    }
  }

  /// An expression, and the steps that follow when it is the first to match.
  struct Case {
    let expression: ExpectedPattern
    let steps: [Step]
  }
}

/// A modem line that can be set.
public enum OutputLine: String, CaseIterable, Sendable {
  case dtr, rts
}

/// A mistake in a script.
public struct DialogueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line of the mistake, counted from 1.
  public let line: Int
  /// The mistake, as a phrase.
  public let what: String

  /// The line and the mistake: `12: message`.
  public var description: String { "\(line): \(what)" }
}

/// A text with placeholders for the last match: `$0` is the whole match, `$1` the first group.
struct Text: Hashable {
  enum Part: Hashable {
    case bytes([UInt8])
    case capture(Int)
  }

  let parts: [Part]

  /// The highest group number in the text.
  var largestGroup: Int? {
    parts.compactMap { if case .capture(let group) = $0 { group } else { nil } }.max()
  }

  /// The text with the captures inserted. A group that did not participate in the match is empty.
  func bytes(with captures: [[UInt8]?]) -> [UInt8] {
    parts.flatMap { part in
      switch part {
      case .bytes(let bytes): bytes
      case .capture(let group): captures.indices.contains(group) ? captures[group] ?? [] : []
      }
    }
  }
}
