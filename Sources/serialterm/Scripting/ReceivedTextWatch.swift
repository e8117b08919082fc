import EventLoop
import Posix
import Scripting
import SystemPackage

/// Looks for expressions in what is received, as it comes.
///
/// Every look begins where the last match ended, so that a long text without a match would be
/// looked through again with every byte. After a look it therefore rests four times as long as the
/// look took, unless so much has come meanwhile that something could be missed.
///
/// A look that takes long is waited for on the loop: timers, signals and keys have their turn. What
/// comes meanwhile is looked at afterwards, as far back as ``ReceivedText`` keeps it.
final class ReceivedTextWatch {
  /// Called when one of the expressions is met. Others may be set from inside.
  var onMatch: (ReceivedText.Match) -> Void = { _ in }
  /// Called with what was looked at, in order and once: up to the end of a match, or all of it
  /// while nothing is looked for.
  var onPassed: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// What is looked for; nothing if empty.
  var expressions: [Expression] = [] {
    didSet {
      // What is being looked for is wanted no longer.
      isStale = true
      lookSoon()
    }
  }

  private let loop: IOLoop
  private var text = ReceivedText()
  /// What has come and was not passed on.
  private var held: [UInt8] = []
  private var timer: LoopTimer?
  private var nextLook = MonotonicTime(nanoseconds: 0)

  /// The look that takes long.
  private var search: (look: ExpressionLook, watch: DescriptorWatch)?
  /// Whether what that finds is of no use any more.
  private var isStale = false

  private static let restFactor: Int64 = 4
  private static let longestRest = Duration.seconds(1)
  /// How long everything else waits for a look.
  private static let patience = Duration.milliseconds(20)

  init(on loop: IOLoop) { self.loop = loop }

  deinit { search?.watch.cancel() }

  /// Adds what was received.
  func add(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      // While nothing is looked for nothing can be missed.
      let isFree = expressions.isEmpty || search != nil
      let count = isFree ? rest.count : min(rest.count, text.roomBeforeLook)
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
      text.append(piece)
      held += piece
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      if expressions.isEmpty {
        pass(held.count)
      } else if search != nil {
        // What is forgotten can be no part of a match.
        pass(held.count - ReceivedText.capacity)
      } else if text.isLookDue {
        look()
      }
    }
    lookSoon()
  }

  /// Forgets what has come.
  func clear() {
    pass(held.count)
    text.clear()
    isStale = true
  }

  /// Looks at once at what has come, and passes it on.
  func flush() {
    look()
    pass(held.count)
  }

  private func lookSoon() {
    guard timer == nil, search == nil, !expressions.isEmpty else { return }
    timer = loop.schedule(after: max(.zero, nextLook - .now)) { [unowned self] in
      timer = nil
      look()
    }
  }

  private func look() {
    guard !expressions.isEmpty, search == nil else { return }
    let look = ExpressionLook(at: text.takeWindow(), for: expressions)
    isStale = false
    if look.wait(atMost: Self.patience) { return take(look) }
    guard let notification = look.notification,
      let watch = try? loop.watch(
        notification, for: .reading, { [unowned self] _ in searchEnded() })
    else {
      // No memory for a watch: it is waited for after all.
      while !look.wait(atMost: .seconds(60)) {}
      return take(look)
    }
    search = (look, watch)
  }

  private func searchEnded() {
    guard let (look, watch) = search else { return }
    watch.cancel()
    search = nil
    if !isStale { take(look) }
    // There may be more by now, or something else to look for.
    lookSoon()
  }

  private func take(_ look: ExpressionLook) {
    let now = MonotonicTime.now
    let rest = Duration.nanoseconds((now - look.start).nanoseconds * Self.restFactor)
    nextLook = now + min(rest, Self.longestRest)
    guard let match = look.match else { return pass(held.count - (text.receivedCount - look.end)) }
    text.useUp(through: match.end)
    pass(held.count - (text.receivedCount - match.end))
    // What comes behind the match may be looked for at once.
    nextLook = now
    onMatch(match)
  }

  private func pass(_ count: Int) {
    guard count > 0 else { return }
    let passed = Array(held.prefix(count))
    held.removeFirst(count)
    passed.withUnsafeBytes { onPassed($0) }
  }
}
