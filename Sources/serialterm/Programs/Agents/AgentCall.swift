import EventLoop
import ModelContext
import TextTools

/// A call of a tool, which gets one outcome, or none if it is cancelled.
final class AgentCall {
  let id: RequestID
  let arguments: AgentArguments
  private let loop: IOLoop
  private let answer: (AgentCall, Outcome) -> Void
  /// The present operation; nil while the call waits for its turn.
  private var operation: (any AgentOperation)?
  private var timer: LoopTimer?
  /// Whether the call has its outcome, or was cancelled.
  private(set) var isOver = false

  /// Tells the client how many of all bytes are sent; nil if it does not want to hear of that.
  let reportProgress: ((_ done: Int, _ total: Int) -> Void)?

  /// The most bytes of JSON for the data in an answer, as text and as members. With names, reasons
  /// and advice, an answer has at most 40,000.
  ///
  /// Claude Code refuses more than 25,000 tokens and puts more than 50,000 characters into a file,
  /// Codex cuts after 10,000 tokens. A model gets the text or the members; escapes and Base64 have
  /// about 2 characters a token.
  static let dataLimit = 36_000

  /// The outcome of a call.
  enum Outcome {
    /// The result: members that fit the schema of the tool, and the same as text.
    case done([(String, JSON)], text: String)
    /// The reason why the call was not performed.
    case failed(String)
  }

  /// - Parameter answer: receives the outcome.
  init(
    _ id: RequestID, _ arguments: AgentArguments, on loop: IOLoop,
    reportProgress: ((_ done: Int, _ total: Int) -> Void)?,
    answer: @escaping (AgentCall, Outcome) -> Void
  ) {
    (self.id, self.arguments, self.loop, self.answer) = (id, arguments, loop, answer)
    self.reportProgress = reportProgress
  }

  /// Limits the time from now until the end of the call. Only the last limit counts.
  func limit(to time: Duration, _ outcome: @escaping () -> Outcome) {
    timer = loop.schedule(after: time) { [unowned self] in finish(outcome()) }
  }

  /// Starts an operation, in place of the one before it. It has a time limit of its own.
  func start(_ operation: any AgentOperation) {
    guard !isOver else { return }
    retireOperation()
    self.operation = operation
    timer = loop.schedule(after: operation.timeLimit) { [unowned self, unowned operation] in
      if let outcome = operation.timeOut() { finish(outcome) }
    }
    operation.begin()
  }

  /// Whether a client that has ended its requests still gets the answer.
  var isAwaited: Bool { operation?.isAwaited ?? false }

  /// Answers the call. Only the first outcome counts.
  func finish(_ outcome: Outcome) {
    guard end() else { return }
    answer(self, outcome)
  }

  func fail(_ reason: String) { finish(.failed(reason)) }

  /// Ends the call without an answer.
  func cancel() { _ = end() }

  private func end() -> Bool {
    guard !isOver else { return false }
    isOver = true
    timer = nil
    retireOperation()
    return true
  }

  private func retireOperation() {
    guard let retired = operation else { return }
    operation = nil
    retired.stop()
    // One of its methods may be running.
    loop.atEndOfTurn { withExtendedLifetime(retired) {} }
  }
}

/// The part of a call that takes time. It finishes the call, or starts the next operation.
protocol AgentOperation: AnyObject {
  /// The longest time that it takes.
  var timeLimit: Duration { get }
  /// Whether a client that has ended its requests still gets the answer: it is only looked for.
  var isAwaited: Bool { get }
  /// Starts. It may finish the call at once.
  func begin()
  /// Returns the outcome of a call that has reached the time limit; nil if the operation finishes
  /// it at once, or a moment later.
  func timeOut() -> AgentCall.Outcome?
  /// Stops, because the call is over or goes on with another operation.
  func stop()
}

extension AgentOperation {
  var isAwaited: Bool { false }
}
