import SystemPackage

/// Looks at the computer for a call: at its processes, or at the sessions of people. That takes
/// time, so another thread does it.
final class AgentInquiry<Value: Sendable>: AgentOperation {
  /// Starts to look. Releasing the object that it returns gives up.
  typealias Start = (@escaping (Result<Value, Errno>) -> Void) -> AnyObject

  private let call: AgentCall
  private let subject: String
  private let start: Start
  private let done: (Value) throws -> Void
  private var work: AnyObject?

  let timeLimit = Duration.seconds(10)
  let isAwaited: Bool

  /// - Parameters:
  ///   - subject: what is looked for, as the subject of a sentence in the plural.
  ///   - isAwaited: see ``AgentOperation/isAwaited``.
  ///   - start: starts to look.
  ///   - done: continues the call. An error that it throws is the outcome.
  init(
    of subject: String, for call: AgentCall, isAwaited: Bool = true, _ start: @escaping Start,
    then done: @escaping (Value) throws -> Void
  ) {
    (self.call, self.subject, self.isAwaited) = (call, subject, isAwaited)
    (self.start, self.done) = (start, done)
  }

  func begin() {
    work = start { [unowned self] in
      switch $0 {
      case .success(let value): do { try done(value) } catch { call.fail("\(error)") }
      case .failure(let error): call.fail("\(subject) cannot be looked at: \(error)")
      }
    }
  }

  func timeOut() -> AgentCall.Outcome? { .failed("Timed out: \(subject) were not found in time.") }

  func stop() { work = nil }
}
