/// A dialogue that is under way: says what to do next, and is told what came.
public struct DialogueRun {
  /// What is to be done, in which line of the script.
  public struct Instruction {
    public let line: Int
    public let action: Action
  }

  /// What is to be done.
  public enum Action {
    case send([UInt8])
    /// Wait for one of them; tell ``DialogueRun/matched(_:)``.
    case expect([Expression], within: Duration?)
    case wait(Duration)
    case set(OutputLine, isOn: Bool)
    case setBaudRate(UInt32)
    case sendBreak(Duration)
    case pulse(OutputLine, Duration)
    case print([UInt8])
    /// End in failure, for a reason.
    case fail([UInt8])
  }

  /// A block that is gone through: which step is next, and how often it begins again.
  private struct Frame {
    let steps: [Step]
    var next = 0
    var repetitions = 0
  }

  private var frames: [Frame]
  private var cases: [Step.Case] = []
  private var captures: [[UInt8]?] = []

  /// Begins a dialogue.
  public init(_ dialogue: Dialogue) { frames = [Frame(steps: dialogue.steps)] }

  /// What to do next; nil at the end.
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

  /// One of the expressions that were expected has come.
  public mutating func matched(_ match: ReceivedText.Match) {
    captures = match.captures
    let steps = cases[match.index].steps
    cases = []
    if !steps.isEmpty { frames.append(Frame(steps: steps)) }
  }

  /// What a step asks for; nil for one that only leads to others.
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
    case .repeat(let count, let steps):
      frames.append(Frame(steps: steps, repetitions: count - 1))
      return nil
    case .print(let text): return .print(text.bytes(with: captures))
    case .fail(let text): return .fail(text.bytes(with: captures))
    }
  }
}
