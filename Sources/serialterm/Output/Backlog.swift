import Posix

/// What waits to be shown, within a bound. What the device said and finds no room is counted and left
/// out; what is said about the session has room of its own, and comes behind the gap.
struct Backlog: ~Copyable {
  private var queue: ByteQueue
  /// What is said while the queue has no room, or has left something out.
  private var messages = ByteQueue(capacity: 65_536)
  /// How many bytes were left out since the last ``settle(saying:)``.
  private(set) var leftOut = 0

  /// Creates an empty backlog.
  ///
  /// - Parameter isBounded: whether bytes past 512 KiB are left out.
  init(isBounded: Bool = true) {
    queue = ByteQueue(capacity: isBounded ? 524_288 : .max)
  }

  /// Whether nothing waits, and nothing was left out.
  var isEmpty: Bool { queue.isEmpty && isGapless }

  /// How many bytes wait.
  var count: Int { queue.count + messages.count }

  /// Whether what comes now follows what came before.
  var isGapless: Bool { leftOut == 0 && messages.isEmpty }

  /// Keeps bytes, or counts them. Once something had to be left out, all of the device's that follows
  /// is: no gap is hidden.
  mutating func append(_ bytes: UnsafeRawBufferPointer, isMessage: Bool) {
    if isGapless && queue.append(bytes) { return }
    if isMessage && messages.append(bytes) { return }
    leftOut += bytes.count
  }

  /// The bytes in front, as many as lie in one piece; valid until some are removed.
  var front: UnsafeRawBufferPointer { queue.front }

  mutating func removeFirst(_ count: Int) { queue.removeFirst(count) }

  mutating func removeAll() {
    queue.removeAll()
    messages.removeAll()
  }

  /// Where nothing waits any more, puts what stands for the bytes that were left out into the queue,
  /// and what was said meanwhile.
  ///
  /// - Returns: how many bytes were left out.
  mutating func settle(saying notice: (Int) -> String?) -> Int {
    let count = leftOut
    leftOut = 0
    // Both are empty, or smaller than the queue.
    if count > 0, var text = notice(count) { _ = text.withUTF8 { queue.append(.init($0)) } }
    while !messages.isEmpty {
      let piece = messages.front
      _ = queue.append(piece)
      messages.removeFirst(piece.count)
    }
    return count
  }
}
