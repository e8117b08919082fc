package import EventLoop
package import Scrollback
import Time

/// Runs a search to its end in steps, so that its matches can be printed, for a terminal that
/// can only print.
package final class PrintedSearch {
  private let search: ScrollbackSearch
  private let loop: IOLoop
  private let done: () -> Void
  private var nextStep: LoopTimer?

  /// Starts to search.
  ///
  /// - Parameter done: called in a turn of the loop.
  package init(_ search: ScrollbackSearch, on loop: IOLoop, done: @escaping () -> Void) {
    self.search = search
    self.loop = loop
    self.done = done
    scheduleStep()
  }

  private func scheduleStep() {
    nextStep = loop.schedule(after: .zero) { [unowned self] in
      let deadline = MonotonicTime.now + SearchDialog.stepTime
      search.search(until: { MonotonicTime.now >= deadline }) ? done() : scheduleStep()
    }
  }
}
