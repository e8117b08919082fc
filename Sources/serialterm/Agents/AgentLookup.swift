import EventLoop
import Sessions
import SystemPackage

/// Finds the sessions of people for a call. Each of their programs is asked, and one that is
/// stopped delays the reply by a second, so a thread waits for them.
final class AgentLookup: AgentOperation {
  private let call: AgentCall
  private let loop: IOLoop
  private let done: ([RunningSession]) throws -> Void
  private var work: BackgroundWork<[RunningSession]>?

  let timeLimit = Duration.seconds(10)

  /// - Parameter done: continues the call. An error that it throws is the outcome.
  init(
    for call: AgentCall, on loop: IOLoop, then done: @escaping ([RunningSession]) throws -> Void
  ) {
    (self.call, self.loop, self.done) = (call, loop, done)
  }

  func begin() {
    do throws(Errno) {
      work = try BackgroundWork(on: loop, { RunningSession.all() }) { [unowned self] in
        do { try done($0) } catch { call.fail("\(error)") }
      }
    } catch {
      call.fail("the sessions of people cannot be listed: \(error)")
    }
  }

  func timeOut() -> AgentCall.Outcome { .failed("the sessions of people do not answer") }

  func stop() { work = nil }
}
