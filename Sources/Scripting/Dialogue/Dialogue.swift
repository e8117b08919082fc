/// A dialogue with a device: what to send, what has to come, step after step.
public struct Dialogue {
  /// The largest script, in bytes.
  public static let largestScript = 1_048_576

  /// The steps, in their order.
  public let steps: [Step]
}

/// A step of a dialogue, and the line that it stands in, counted from 1.
public struct Step {
  public let line: Int
  let action: Action

  /// What is done.
  indirect enum Action {
    case send(Text)
    case expect([Case], within: Duration?)
    case wait(Duration)
    case set(OutputLine, isOn: Bool)
    case setBaudRate(UInt32)
    case sendBreak(Duration)
    case pulse(OutputLine, Duration)
    case `repeat`(Int, [Step])
    case print(Text)
    case fail(Text)
  }

  /// An expression, and what is done when it is the one that comes.
  struct Case {
    let expression: Expression
    let steps: [Step]
  }
}

/// A modem line that can be set.
public enum OutputLine: String, CaseIterable, Sendable {
  case dtr, rts
}

/// What is wrong in a script, and where.
public struct DialogueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  public let line: Int
  /// What is wrong, in words.
  public let what: String

  /// `12: what is wrong`.
  public var description: String { "\(line): \(what)" }
}

/// A text with places for what was matched last: `$0` is the whole, `$1` the first group.
struct Text: Hashable {
  enum Part: Hashable {
    case bytes([UInt8])
    case capture(Int)
  }

  let parts: [Part]

  /// The largest group that it names.
  var largestGroup: Int? {
    parts.compactMap { if case .capture(let group) = $0 { group } else { nil } }.max()
  }

  /// The text with what was matched; a group that took no part in it is empty.
  func bytes(with captures: [[UInt8]?]) -> [UInt8] {
    parts.flatMap { part in
      switch part {
      case .bytes(let bytes): bytes
      case .capture(let group): captures.indices.contains(group) ? captures[group] ?? [] : []
      }
    }
  }
}
