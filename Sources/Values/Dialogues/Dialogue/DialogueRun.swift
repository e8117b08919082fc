public import Patterns
public import Time
import TransferProtocols

/// The progress of a dialogue: it returns the next action, and takes the matches and timeouts.
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
    /// Nothing: the rounds of a repetition begin.
    case beginRounds(Rounds)
    /// The steps of a round are performed, with its number from 1. Wait for the expression, then
    /// call ``DialogueRun/matched(_:captures:)``. At the given time, or after the usual time
    /// limit if it is nil, call ``DialogueRun/roundIsOver(at:)``.
    case awaitRound(Rounds, number: Int, until: MonotonicTime?)
    case print([UInt8])
    /// Fail, with a reason.
    case fail([UInt8])
  }

  /// A block whose steps are being performed.
  private struct Block {
    enum Kind {
      /// The steps are performed once.
      case once
      /// The block of `try`, with the steps of its `else`.
      case attempt(otherwise: [Step])
      /// The steps are performed this many times more.
      case repeated(Int)
      case rounds(RoundsProgress)
    }

    let steps: [Step]
    var kind = Kind.once
    var next = 0
  }

  /// The present round of a repetition with a time or an end.
  private struct RoundsProgress {
    let rounds: Rounds
    let line: Int
    var number = 1
    var begin: MonotonicTime
    /// The end of the round, when its steps have been performed; nil if the usual time limit
    /// determines it.
    var end: MonotonicTime?

    var isLast: Bool { number == rounds.count }

    init(_ rounds: Rounds, line: Int, begin: MonotonicTime) {
      (self.rounds, self.line, self.begin) = (rounds, line, begin)
    }

    /// The steps of the round have been performed. A round that takes longer than the interval
    /// ends now. Nothing follows the last round, unless an expression is awaited.
    mutating func stepsDidEnd(at now: MonotonicTime) {
      end = rounds.interval.map { max(begin + $0, now) }
      if isLast, rounds.expression == nil { end = now }
    }

    /// The next round begins where this one ends, and not when the caller comes to it, so that
    /// delays do not add up.
    mutating func advance(at now: MonotonicTime) {
      (number, begin, end) = (number + 1, end ?? now, nil)
    }
  }

  private var blocks: [Block]
  private var cases: [Step.Case] = []
  private var captures: [[UInt8]?] = []

  /// Starts a dialogue.
  public init(_ dialogue: Dialogue) { blocks = [Block(steps: dialogue.steps)] }

  /// Returns the next instruction; nil at the end.
  public mutating func next(at now: MonotonicTime) -> Instruction? {
    while let top = blocks.indices.last {
      guard blocks[top].next < blocks[top].steps.count else {
        if let instruction = endBlock(at: now) { return instruction }
        continue
      }
      let step = blocks[top].steps[blocks[top].next]
      blocks[top].next += 1
      if let action = action(of: step, at: now) {
        return Instruction(line: step.line, action: action)
      }
    }
    return nil
  }

  /// All steps of the innermost block have been performed: it ends, or is performed again.
  ///
  /// - Returns: what the caller must do first; nil for nothing.
  private mutating func endBlock(at now: MonotonicTime) -> Instruction? {
    let top = blocks.count - 1
    switch blocks[top].kind {
    case .once, .attempt, .repeated(0): blocks.removeLast()
    case .repeated(let remaining):
      blocks[top].kind = .repeated(remaining - 1)
      blocks[top].next = 0
    case .rounds(var progress):
      progress.stepsDidEnd(at: now)
      blocks[top].kind = .rounds(progress)
      return Instruction(
        line: progress.line,
        action: .awaitRound(progress.rounds, number: progress.number, until: progress.end))
    }
    return nil
  }

  /// Reads the index of the expected expression that has matched, and the texts of the match and
  /// of its groups.
  public mutating func matched(_ index: Int, captures: [[UInt8]?]) {
    self.captures = captures
    guard !cases.isEmpty else {
      // It is the expression of a repetition, which ends.
      blocks.removeLast()
      return
    }
    let steps = cases[index].steps
    cases = []
    if !steps.isEmpty { blocks.append(Block(steps: steps)) }
  }

  /// The time of a round is over, and its expression has not matched.
  ///
  /// - Returns: whether the script goes on. Otherwise the repetition has timed out: all its
  ///   rounds were performed.
  public mutating func roundIsOver(at now: MonotonicTime) -> Bool {
    guard let top = blocks.indices.last, case .rounds(var progress) = blocks[top].kind else {
      return true
    }
    if progress.isLast {
      guard progress.rounds.expression == nil else { return false }
      blocks.removeLast()
    } else {
      progress.advance(at: now)
      (blocks[top].kind, blocks[top].next) = (.rounds(progress), 0)
    }
    return true
  }

  /// The present step has timed out. The rest of the innermost `try` block is skipped, with the
  /// blocks in it, and the steps of its `else` come next.
  ///
  /// - Returns: whether there is a `try` block. Otherwise the script has failed.
  public mutating func timedOut() -> Bool {
    for (index, block) in blocks.enumerated().reversed() {
      guard case .attempt(let otherwise) = block.kind else { continue }
      blocks.removeSubrange(index...)
      blocks.append(Block(steps: otherwise))
      cases = []
      return true
    }
    return false
  }

  /// The action of a step; nil for a block, whose steps come next.
  private mutating func action(of step: Step, at now: MonotonicTime) -> Action? {
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
      blocks.append(Block(steps: steps, kind: .repeated(count - 1)))
      return nil
    case .rounds(let rounds, let steps):
      let progress = RoundsProgress(rounds, line: step.line, begin: now)
      blocks.append(Block(steps: steps, kind: .rounds(progress)))
      return .beginRounds(rounds)
    case .try(let steps, let otherwise):
      blocks.append(Block(steps: steps, kind: .attempt(otherwise: otherwise)))
      return nil
    case .print(let text): return .print(text.bytes(with: captures))
    case .fail(let text): return .fail(text.bytes(with: captures))
    }
  }
}
