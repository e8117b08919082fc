import TextTools
import Time

/// The results of the steps of a script, for continuous integration.
///
/// It does not contain what the script sends, because that may be a password.
struct RunReport {
  /// A step that was performed or begun.
  struct Step {
    /// The line of the script, counted from 1; 0 for anything before the script.
    let line: Int
    let name: String
    var duration = Duration.zero
    var failure: Failed?
    /// What did not happen in time, if a `try` block has handled that.
    var timeout: String?
    /// The rounds of a repetition; nil for another step.
    var rounds: Rounds?
  }

  /// The rounds of a repetition with a time or an end.
  struct Rounds {
    /// The number of rounds that were performed.
    var count = 0
    /// The maximum number of rounds.
    let limit: Int
    /// Whether the expected text has come.
    var isMatched = false
  }

  /// Why a step failed.
  struct Failed {
    /// Whether it is a failed expectation or `fail`. Otherwise it is an error, such as
    /// a lost device.
    let isExpectation: Bool
    let status: Int
    let message: String
    /// The last lines that were received.
    let received: [String]
  }

  /// The maximum number of steps in a report. Further steps are only counted, but the last one
  /// is always reported.
  static let capacity = 10_000

  let script: String
  let timestamp = Timestamp.now.rfc3339
  private let start = MonotonicTime.now
  private(set) var steps: [Step] = []
  private(set) var omittedCount = 0
  private(set) var duration = Duration.zero
  private(set) var status = 0
  private var current: Step
  private var place = Place.end
  private var stepStart = MonotonicTime.now
  /// How often the step of a line has begun.
  private var repetitions: [Int: Int] = [:]
  /// The index of the repetition of a line in the steps.
  private var repetitionIndices: [Int: Int] = [:]

  /// The place of the present step among the steps.
  private enum Place {
    /// It comes after the others.
    case end
    /// It is a repetition that has begun earlier, and is there.
    case index(Int)
    /// It is a repetition that has begun earlier, and was only counted.
    case omitted
  }

  init(script: String) {
    self.script = script
    current = Step(line: 0, name: "open the port")
  }

  /// Ends the present step as successful, and begins the next one.
  mutating func begin(_ step: ScriptStep) {
    endStep()
    let isContinued = step.round.map { $0.number > 0 } ?? false
    let index = isContinued ? repetitionIndices[step.line] : nil
    place = index.map { .index($0) } ?? (isContinued ? .omitted : .end)
    if let index {
      current = steps[index]
    } else {
      let count = repetitions[step.line, default: 0] + (isContinued ? 0 : 1)
      repetitions[step.line] = count
      current = Step(line: step.line, name: count == 1 ? step.name : "\(step.name) (\(count))")
    }
    current.rounds = step.round.map { Rounds(count: $0.number, limit: $0.limit) }
  }

  /// The expression of the present repetition has matched.
  mutating func match() { current.rounds?.isMatched = true }

  /// The present step has timed out, and the script handles that.
  mutating func timeOut(_ message: String) { current.timeout = message.harmless }

  /// Ends the script.
  mutating func end(_ failure: Failed?) {
    current.failure = failure
    status = failure?.status ?? 0
    duration = .now - start
    endStep(isLast: true)
  }

  private mutating func endStep(isLast: Bool = false) {
    let now = MonotonicTime.now
    current.duration += now - stepStart
    stepStart = now
    if case .index(let index) = place {
      steps[index] = current
      return
    }
    let wasOmitted = if case .omitted = place { true } else { false }
    guard steps.count < Self.capacity || isLast else {
      if !wasOmitted { omittedCount += 1 }
      repetitionIndices[current.line] = nil
      return
    }
    if wasOmitted { omittedCount -= 1 }
    if current.rounds != nil { repetitionIndices[current.line] = steps.count }
    steps.append(current)
  }
}

extension RunReport {
  /// One object: `script`, `status`, `time`, and the `steps`.
  var json: JSON {
    .object([
      ("script", .string(script)), ("timestamp", .string(timestamp)),
      ("passed", .bool(status == 0)), ("status", .integer(status)),
      ("time", .number(duration.secondsAsNumber)), ("omittedSteps", .integer(omittedCount)),
      ("steps", .array(steps.map(\.json))),
    ])
  }
}

extension RunReport.Step {
  fileprivate var json: JSON {
    .object([
      ("line", line == 0 ? .null : .integer(line)), ("name", .string(name)),
      ("time", .number(duration.secondsAsNumber)), ("passed", .bool(failure == nil)),
      ("failure", JSON(failure?.message)), ("timedOut", JSON(timeout)),
      ("rounds", rounds.map { .integer($0.count) } ?? .null),
      ("received", failure.map { .array($0.received.map { .string($0) }) } ?? .null),
    ])
  }
}

extension Duration {
  /// The duration in seconds, with a precision of milliseconds.
  var secondsAsNumber: Double { Double(nanoseconds / 1_000_000) / 1_000 }
}
