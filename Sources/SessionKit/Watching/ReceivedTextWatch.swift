package import EventLoop
package import Scripting

/// Searches received bytes for expressions as they arrive.
package final class ReceivedTextWatch {
  /// Called when one of the expressions matches. It may set other expressions.
  package var onMatch: (ReceivedText.Match) -> Void = { _ in }
  /// The expressions to search for; empty for none.
  package var expressions: [Expression] {
    get { text.expressions }
    set {
      text.expressions = newValue
      lookSoon()
    }
  }

  private let loop: IOLoop
  private var text = ExpectedText()
  private var timer: LoopTimer?

  package init(on loop: IOLoop) { self.loop = loop }

  /// Adds received bytes.
  package func add(_ bytes: UnsafeRawBufferPointer) {
    text.add(bytes)
    look()
  }

  /// Discards the text received so far.
  package func clear() { text.clear() }

  /// Searches in the next turn of the loop: code that sets expressions must not be called back during that.
  private func lookSoon() {
    guard timer == nil, !expressions.isEmpty else { return }
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
