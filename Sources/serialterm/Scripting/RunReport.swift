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
  private var stepStart = MonotonicTime.now
  private var repetitions: [Int: Int] = [:]

  init(script: String) {
    self.script = script
    current = Step(line: 0, name: "open the port")
  }

  /// Ends the present step as successful, and begins the next one.
  mutating func begin(_ name: String, line: Int) {
    endStep()
    let count = repetitions[line, default: 0] + 1
    repetitions[line] = count
    current = Step(line: line, name: count == 1 ? name : "\(name) (\(count))")
  }

  /// Ends the script.
  mutating func end(_ failure: Failed?) {
    current.failure = failure
    status = failure?.status ?? 0
    duration = .now - start
    endStep(isLast: true)
  }

  private mutating func endStep(isLast: Bool = false) {
    let now = MonotonicTime.now
    current.duration = now - stepStart
    stepStart = now
    if steps.count < Self.capacity || isLast {
      steps.append(current)
    } else {
      omittedCount += 1
    }
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
      ("failure", JSON(failure?.message)),
      ("received", failure.map { .array($0.received.map { .string($0) }) } ?? .null),
    ])
  }
}

extension Duration {
  /// The duration in seconds, with a precision of milliseconds.
  var secondsAsNumber: Double { Double(nanoseconds / 1_000_000) / 1_000 }
}
