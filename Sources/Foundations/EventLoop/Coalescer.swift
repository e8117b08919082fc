import Time

/// Runs a piece of work for many requests at once: a notification queue with one entry.
///
/// Views follow a state that can change thousands of times a second. They post to a coalescer for
/// each change, and draw once: at the end of the turn, so that everything that is ready in it is
/// drawn together, and not again before an interval has passed. The last request always leads to a
/// run, so that what is drawn in the end is the last state.
///
/// Logs must not use it: they need every event.
public final class Coalescer {
  private let loop: IOLoop
  private let interval: Duration
  private let work: () -> Void
  private var isDueThisTurn = false
  private var timer: LoopTimer?
  private var lastRun: MonotonicTime?

  /// Creates a coalescer.
  ///
  /// - Parameters:
  ///   - loop: the loop that runs the work.
  ///   - interval: the shortest time between two runs; zero for one run a turn.
  ///   - work: called in a turn of the loop, never by ``post(isUrgent:)``.
  public init(on loop: IOLoop, interval: Duration = .zero, _ work: @escaping () -> Void) {
    self.loop = loop
    self.interval = interval
    self.work = work
  }

  /// Requests a run: at the end of this turn, or when the interval since the last run has passed.
  ///
  /// - Parameter isUrgent: whether to run at the end of this turn, whatever the interval: for
  ///   anything but progress.
  public func post(isUrgent: Bool = false) {
    guard !isDueThisTurn else { return }
    let wait = lastRun.map { $0 + interval - loop.now } ?? .zero
    guard isUrgent || wait <= .zero else {
      if timer == nil { timer = loop.schedule(after: wait) { [unowned self] in run() } }
      return
    }
    timer = nil
    isDueThisTurn = true
    loop.atEndOfTurn { [weak self] in
      guard let self, isDueThisTurn else { return }
      run()
    }
  }

  /// Forgets the requests.
  public func cancel() {
    timer = nil
    isDueThisTurn = false
  }

  private func run() {
    cancel()
    // Also before the work, which may post.
    lastRun = loop.now
    work()
    lastRun = loop.now
  }
}

@available(*, unavailable)
extension Coalescer: Sendable {}
