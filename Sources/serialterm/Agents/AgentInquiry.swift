import SystemPackage

/// Looks at the computer for a call: at its processes, or at the sessions of people. That takes
/// time, so another thread does it.
final class AgentInquiry<Value: Sendable>: AgentOperation {
  private let call: AgentCall
  private let worker: AgentWorker
  private let subject: String
  private let work: @Sendable () -> Value
  private let done: (Value) throws -> Void
  private var job: AgentWorker.Job?

  let timeLimit = Duration.seconds(10)

  /// - Parameters:
  ///   - subject: what is looked for, as the subject of a sentence in the plural.
  ///   - work: looks. It is called on another thread.
  ///   - done: continues the call. An error that it throws is the outcome.
  init(
    of subject: String, for call: AgentCall, by worker: AgentWorker,
    _ work: @escaping @Sendable () -> Value, then done: @escaping (Value) throws -> Void
  ) {
    (self.call, self.worker, self.subject) = (call, worker, subject)
    (self.work, self.done) = (work, done)
  }

  func begin() {
    job = worker.perform(.late) { [work] in
      { _ in work() }
    } onResult: { [unowned self] in
      switch $0 {
      case .success(let value): do { try done(value) } catch { call.fail("\(error)") }
      case .failure(let error): call.fail("\(subject) cannot be looked at: \(error)")
      }
    }
  }

  func timeOut() -> AgentCall.Outcome { .failed("Timed out: \(subject) were not found in time.") }

  func stop() { job = nil }
}
