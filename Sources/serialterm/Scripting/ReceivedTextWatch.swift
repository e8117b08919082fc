import EventLoop
import Scripting

/// Searches received bytes for expressions as they arrive, and passes the bytes on.
final class ReceivedTextWatch {
  /// Called when one of the expressions has matched. It may set others.
  var onMatch: (ReceivedText.Match) -> Void = { _ in }
  /// Called with bytes that were searched, in order and once: up to the end of a match, or all of them
  /// while there is nothing to search for.
  var onPassed: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// The expressions to search for; empty for none.
  var expressions: [Expression] {
    get { text.expressions }
    set {
      text.expressions = newValue
      lookSoon()
    }
  }

  private let loop: IOLoop
  private var text = ReceivedText()
  /// Bytes that were received and not passed on.
  private var held: [UInt8] = []
  private var timer: LoopTimer?

  init(on loop: IOLoop) { self.loop = loop }

  /// Adds received bytes.
  func add(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(ReceivedText.step))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
      text.append(piece)
      held += piece
      if expressions.isEmpty { pass(held.count) } else { look() }
    }
  }

  /// Forgets what was received.
  func clear() {
    pass(held.count)
    text.clear()
  }

  /// Searches what was received now, and passes it on.
  func flush() {
    look()
    pass(held.count)
  }

  /// Searches in the next turn of the loop: the code that sets expressions must not be called back at once.
  private func lookSoon() {
    guard timer == nil, !expressions.isEmpty else { return }
    timer = loop.schedule(after: .zero) { [unowned self] in
      timer = nil
      look()
    }
  }

  private func look() {
    guard !expressions.isEmpty else { return }
    guard let match = text.look() else { return pass(held.count) }
    pass(held.count - (text.receivedCount - match.end))
    onMatch(match)
    lookSoon()
  }

  private func pass(_ count: Int) {
    guard count > 0 else { return }
    let passed = Array(held.prefix(count))
    held.removeFirst(count)
    passed.withUnsafeBytes { onPassed($0) }
  }
}
