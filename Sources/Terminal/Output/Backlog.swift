import Posix

/// A bounded queue of bytes to show. Bytes of the device that do not fit are dropped and counted.
/// Messages have their own queue, and follow the notice of the gap.
struct Backlog: ~Copyable {
  private var queue: ByteQueue
  /// Messages that arrived while bytes were being dropped.
  private var messages = ByteQueue(capacity: 65_536)
  /// The number of bytes dropped since the last ``settle(saying:)``.
  private(set) var leftOut = 0

  /// Creates an empty backlog.
  ///
  /// - Parameter isBounded: whether bytes above 512 KiB are dropped.
  package init(isBounded: Bool = true) {
    queue = ByteQueue(capacity: isBounded ? 524_288 : .max)
  }

  /// Whether the queue is empty and nothing was dropped.
  package var isEmpty: Bool { queue.isEmpty && isGapless }

  /// The number of queued bytes.
  package var count: Int { queue.count + messages.count }

  /// Whether new bytes continue the queued ones without a gap.
  var isGapless: Bool { leftOut == 0 && messages.isEmpty }

  /// Queues bytes, or drops and counts them. After the first dropped byte, all bytes of the device
  /// are dropped, so that every gap has one notice.
  package mutating func append(_ bytes: UnsafeRawBufferPointer, isMessage: Bool) {
    if isGapless && queue.append(bytes) { return }
    if isMessage && messages.append(bytes) { return }
    leftOut += bytes.count
  }

  /// The first contiguous part of the queue; valid until bytes are removed.
  package var front: UnsafeRawBufferPointer { queue.front }

  package mutating func removeFirst(_ count: Int) { queue.removeFirst(count) }

  package mutating func removeAll() {
    queue.removeAll()
    messages.removeAll()
  }

  /// Queues the notice of dropped bytes and the messages since then, if the queue is empty.
  ///
  /// - Returns: the number of dropped bytes.
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
