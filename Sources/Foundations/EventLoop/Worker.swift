import Posix
package import SystemPackage

/// Performs long work that others have asked for on another thread, one piece after the other, so
/// that the ports, the people and the signals of the program never wait for it.
package final class Worker {
  /// How soon work is done, compared with other work that waits.
  package enum Urgency {
    /// Before all other work: it takes a part of a second at most.
    case soon
    case late
  }

  /// A piece of work. Release it to give up: work that waits is not begun, and the result of work
  /// that has begun is not used.
  package final class Job {
    fileprivate let isCancelled = Guarded(false)
    deinit { isCancelled.withLock { $0 = true } }
  }

  /// Tells work whether it is still wanted.
  package typealias IsOver = @Sendable () -> Bool

  private struct Entry {
    weak var job: Job?
    let urgency: Urgency
    let begin: () throws(Errno) -> Void
    let fail: (Errno) -> Void
  }

  private let loop: IOLoop
  private var waiting: [Entry] = []
  /// The running work, which ends before the next begins, also if nobody wants it any more.
  private var running: AnyObject?

  package init(on loop: IOLoop) { self.loop = loop }

  /// Performs work when its turn comes.
  ///
  /// - Parameters:
  ///   - prepare: returns the work, when it begins. It is called on the thread of the loop.
  ///   - onResult: called once, in a turn of the loop. The failure is an error of pipe(2),
  ///     epoll_ctl(2) or pthread_create(3).
  package func perform<Value: Sendable>(
    _ urgency: Urgency, _ prepare: @escaping () -> @Sendable (@escaping IsOver) -> Value,
    onResult: @escaping (Result<Value, Errno>) -> Void
  ) -> Job {
    let job = Job()
    let isCancelled = job.isCancelled
    let entry = Entry(
      job: job, urgency: urgency,
      begin: { [unowned self, weak job] () throws(Errno) in
        let work = prepare()
        let isOver: IsOver = { isCancelled.withLock { $0 } }
        running = try BackgroundWork(on: loop, { _ in work(isOver) }) { [unowned self, weak job] in
          retire()
          if job != nil { onResult(.success($0)) }
        }
      }, fail: { onResult(.failure($0)) })
    waiting.append(entry)
    beginNext()
    return job
  }

  private func retire() {
    running = nil
    // In a later turn, so that the loop has its turns between two pieces of work.
    loop.atEndOfTurn { [weak self] in self?.beginNext() }
  }

  private func beginNext() {
    waiting.removeAll { $0.job == nil }
    guard running == nil, !waiting.isEmpty else { return }
    let entry = waiting.remove(at: waiting.firstIndex { $0.urgency == .soon } ?? 0)
    do throws(Errno) {
      try entry.begin()
    } catch {
      loop.atEndOfTurn { if entry.job != nil { entry.fail(error) } }
      // The others try it themselves.
      loop.atEndOfTurn { [weak self] in self?.beginNext() }
    }
  }
}
