import Reconnecting
import Time

/// A clock that a test advances. It makes the calls that become due.
final class ManualClock {
  private(set) var now = MonotonicTime(nanoseconds: 0)
  private var calls: [(token: Weak, due: MonotonicTime, work: () -> Void)] = []

  private final class Token {}
  private struct Weak { weak var token: Token? }

  var scheduler: Scheduler {
    Scheduler(now: { [unowned self] in now }, schedule: { [unowned self] in schedule($0, $1) })
  }

  private func schedule(_ delay: Duration, _ work: @escaping () -> Void) -> AnyObject {
    let token = Token()
    calls.append((Weak(token: token), now + delay, work))
    return token
  }

  /// The delay until the next call; nil if there is none.
  var nextDelay: Duration? {
    calls.filter { $0.token.token != nil }.map { $0.due - now }.min()
  }

  /// Advances the clock, and makes each call at its time.
  func advance(by duration: Duration) {
    let end = now + duration
    while true {
      calls.removeAll { $0.token.token == nil }
      guard let index = calls.indices.min(by: { calls[$0].due < calls[$1].due }),
        calls[index].due <= end
      else { break }
      let call = calls.remove(at: index)
      now = max(now, call.due)
      call.work()
    }
    now = end
  }
}
