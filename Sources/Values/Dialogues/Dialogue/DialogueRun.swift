public import Patterns
import TransferProtocols

/// The progress of a dialogue: it returns the next action, and takes the matches.
public struct DialogueRun {
  /// An action, with its line in the script.
  public struct Instruction {
    public let line: Int
    public let action: Action
  }

  /// The action that the caller must perform.
  public enum Action {
    case send([UInt8])
    /// Wait for one of the expressions, then call ``DialogueRun/matched(_:captures:)``.
    case expect([ExpectedPattern], within: Duration?)
    case wait(Duration)
    case set(OutputLine, isOn: Bool)
    case setBaudRate(UInt32)
    case sendBreak(Duration)
    case pulse(OutputLine, Duration)
    /// Send or receive files.
    case transfer(FileStep)
    case print([UInt8])
    /// Fail, with a reason.
    case fail([UInt8])
  }

  /// A block: its next step, and the number of remaining repetitions.
  private struct Frame {
    let steps: [Step]
    var next = 0
    var repetitions = 0
  }

  private var frames: [Frame]
  private var cases: [Step.Case] = []
  private var captures: [[UInt8]?] = []

  /// Starts a dialogue.
  public init(_ dialogue: Dialogue) { frames = [Frame(steps: dialogue.steps)] }

  /// Returns the next instruction; nil at the end.
  public mutating func next() -> Instruction? {
    while let top = frames.indices.last {
      guard frames[top].next < frames[top].steps.count else {
        if frames[top].repetitions > 0 {
          frames[top].repetitions -= 1
          frames[top].next = 0
        } else {
          frames.removeLast()
        }
        continue
      }
      let step = frames[top].steps[frames[top].next]
      frames[top].next += 1
      if let action = action(of: step) { return Instruction(line: step.line, action: action) }
    }
    return nil
  }

  /// Reads the index of the expected expression that has matched, and the texts of the match and
  /// of its groups.
  public mutating func matched(_ index: Int, captures: [[UInt8]?]) {
    self.captures = captures
    let steps = cases[index].steps
    cases = []
    if !steps.isEmpty { frames.append(Frame(steps: steps)) }
  }

  /// The action of a step; nil for a block, whose steps come next.
  private mutating func action(of step: Step) -> Action? {
    switch step.action {
    case .send(let text): return .send(text.bytes(with: captures))
    case .expect(let cases, let limit):
      self.cases = cases
      return .expect(cases.map(\.expression), within: limit)
    case .wait(let duration): return .wait(duration)
    case .set(let line, let isOn): return .set(line, isOn: isOn)
    case .setBaudRate(let rate): return .setBaudRate(rate)
    case .sendBreak(let duration): return .sendBreak(duration)
    case .pulse(let line, let duration): return .pulse(line, duration)
    case .transfer(let direction, let path, let kind):
      return .transfer(
        FileStep(direction: direction, path: path.bytes(with: captures), fileProtocol: kind))
    case .repeat(let count, let steps):
      frames.append(Frame(steps: steps, repetitions: count - 1))
      return nil
    case .print(let text): return .print(text.bytes(with: captures))
    case .fail(let text): return .fail(text.bytes(with: captures))
    }
  }
}
