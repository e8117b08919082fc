import Observing
import Posix

extension Session {
  /// The number of bytes that ``write(_:)`` takes now.
  public var writeRoom: Int { queue.room }

  /// The number of bytes that were written and are not on the line yet: in the queue or in the driver.
  public var unsentByteCount: Int { queuedByteCount + (link?.unsentByteCount ?? 0) }

  /// The number of bytes that the driver has not taken.
  public var queuedByteCount: Int { queue.count - takenCount }

  /// Queues bytes, and writes as many as the driver takes at once.
  ///
  /// - Throws: ``SerialError``: `notOpen`, or `queueFull` if there is no room for all of them; the
  ///   queue takes none then.
  public func write(_ bytes: RawSpan) throws(SerialError) {
    guard let link else { throw notOpen(in: "write") }
    let taken = bytes.withUnsafeBytes { queue.append($0) }
    guard taken else { throw SerialError(.queueFull, in: "write", at: link.endpoint) }
    // During a notification, the bytes that observers see must not change before all have seen them.
    if events.isNotifying { tellInterest() } else { sendQueued() }
  }

  /// Asks the pacer again when the loop finds the port writable.
  public func continueSending() { isHeldBack = false }

  private var allowance: Int {
    let front = queue.front
    return pacer?.session(self, allowanceFor: front.bytes) ?? front.count
  }

  /// Writes queued bytes until the driver takes no more.
  func sendQueued() {
    defer { tellInterest() }
    while let link, !queue.isEmpty, sendingPauseCount == 0, !isHeldBack {
      let front = UnsafeRawBufferPointer(rebasing: queue.front.prefix(allowance))
      guard !front.isEmpty else { return isHeldBack = true }
      do throws(SerialError) {
        guard case .bytes(let count) = try link.write(front) else { return }
        takenCount = count
        notify(.sent(UnsafeRawBufferPointer(rebasing: front[..<count])))
        takenCount = 0
        queue.removeFirst(count)
      } catch {
        return lose(link, error)
      }
    }
  }
}
