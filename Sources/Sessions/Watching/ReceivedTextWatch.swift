package import EventLoop
package import Patterns

/// Searches received bytes for patterns as they arrive.
package final class ReceivedTextWatch {
  /// The patterns to search for; empty for none.
  package var patterns: [ExpectedPattern] {
    get { text.patterns }
    set {
      text.patterns = newValue
      lookSoon()
    }
  }

  private let loop: IOLoop
  private let onMatch: (ReceivedText.Match) -> Void
  private var text = SearchedStream()
  private var timer: LoopTimer?

  /// - Parameter onMatch: called when one of the patterns matches. It may set other patterns.
  package init(on loop: IOLoop, onMatch: @escaping (ReceivedText.Match) -> Void) {
    (self.loop, self.onMatch) = (loop, onMatch)
  }

  /// Adds received bytes.
  package func add(_ bytes: UnsafeRawBufferPointer) {
    text.add(bytes)
    look()
  }

  /// Discards the text received so far.
  package func clear() { text.clear() }

  /// Searches in the next turn of the loop: code that sets patterns must not be called
  /// back during that.
  private func lookSoon() {
    guard timer == nil, !patterns.isEmpty else { return }
    timer = loop.schedule(after: .zero) { [unowned self] in
      timer = nil
      look()
    }
  }

  private func look() {
    while let event = text.next() {
      if case .matched(let match) = event { onMatch(match) }
    }
  }
}
