import EventLoop
import Posix
import Scripting

/// Looks for expressions in what is received, as it comes.
///
/// Every look begins where the last match ended, so that a long text without a match would be
/// looked through again with every byte. After a look it therefore rests four times as long as the
/// look took, unless so much has come meanwhile that something could be missed.
final class ReceivedTextWatch {
  /// Called when one of the expressions is met. Others may be set from inside.
  var onMatch: (ReceivedText.Match) -> Void = { _ in }
  /// Called with what was looked at, in order and once: up to the end of a match, or all of it
  /// while nothing is looked for.
  var onPassed: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// What is looked for; nothing if empty.
  var expressions: [Expression] = [] {
    didSet { lookSoon() }
  }

  private let loop: EventLoop
  private var text = ReceivedText()
  /// What has come and was not passed on.
  private var held: [UInt8] = []
  private var timer: Timer?
  private var nextLook = MonotonicTime(nanoseconds: 0)

  private static let restFactor: Int64 = 4

  init(on loop: EventLoop) { self.loop = loop }

  /// Adds what was received.
  func add(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      // While nothing is looked for nothing can be missed.
      let count = expressions.isEmpty ? rest.count : min(rest.count, text.roomBeforeLook)
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
      text.append(piece)
      held += piece
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      if expressions.isEmpty { pass(held.count) } else if text.isLookDue { look() }
    }
    lookSoon()
  }

  /// Forgets what has come.
  func clear() {
    pass(held.count)
    text.clear()
  }

  /// Looks at once at what has come, and passes it on.
  func flush() {
    look()
    pass(held.count)
  }

  private func lookSoon() {
    guard timer == nil, !expressions.isEmpty else { return }
    timer = loop.schedule(after: max(.zero, nextLook - .now)) { [unowned self] in
      timer = nil
      look()
    }
  }

  private func look() {
    guard !expressions.isEmpty else { return }
    let start = MonotonicTime.now
    let match = text.look(for: expressions)
    let end = MonotonicTime.now
    nextLook = end + .nanoseconds((end - start).nanoseconds * Self.restFactor)
    guard let match else { return pass(held.count) }
    pass(held.count - (text.receivedCount - match.end))
    // What comes behind the match may be looked for at once.
    nextLook = end
    onMatch(match)
  }

  private func pass(_ count: Int) {
    guard count > 0 else { return }
    let passed = Array(held.prefix(count))
    held.removeFirst(count)
    passed.withUnsafeBytes { onPassed($0) }
  }
}
