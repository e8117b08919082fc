import EventLoop
import SystemPackage

/// Work on another thread whose result all share who ask for it. Who asks while it is performed
/// shares the next result: the one that is on its way may be older than the question.
final class SharedWork<Value: Sendable> {
  /// A question. Release it to get no answer.
  final class Request {
    fileprivate let answer: (Result<Value, Errno>) -> Void
    fileprivate init(_ answer: @escaping (Result<Value, Errno>) -> Void) { self.answer = answer }
  }

  private struct Entry {
    weak var request: Request?
  }

  private let loop: IOLoop
  private let worker: Worker
  private let work: @Sendable () -> Value
  private var waiting: [Entry] = []
  private var running: Worker.Job?

  /// - Parameter work: called on another thread.
  init(on loop: IOLoop, _ work: @escaping @Sendable () -> Value) {
    (self.loop, self.work) = (loop, work)
    worker = Worker(on: loop)
  }

  /// Asks for a result.
  ///
  /// - Parameter answer: called once, in a later turn of the loop. The failure is an error of
  ///   pipe(2), epoll_ctl(2) or pthread_create(3).
  func ask(_ answer: @escaping (Result<Value, Errno>) -> Void) -> Request {
    let request = Request(answer)
    waiting.append(Entry(request: request))
    // In a later turn, so that those who ask in this one share the first result.
    loop.atEndOfTurn { [weak self] in self?.beginNext() }
    return request
  }

  private func beginNext() {
    let asking = waiting.filter { $0.request != nil }
    guard running == nil, !asking.isEmpty else { return }
    waiting = []
    running = worker.perform(.soon, { [work] in { _ in work() } }) { [unowned self] result in
      running = nil
      loop.atEndOfTurn { [weak self] in self?.beginNext() }
      for entry in asking { entry.request?.answer(result) }
    }
  }
}
