import Observing
import Posix

extension Session {
  /// How many bytes ``write(_:)`` would take now.
  public var writeRoom: Int { queue.room }

  /// How many bytes are under way: queued here, or taken by the driver and not on the line yet.
  public var unsentByteCount: Int { queuedByteCount + (link?.unsentByteCount ?? 0) }

  /// How many bytes the driver has not taken yet.
  public var queuedByteCount: Int { queue.count - takenCount }

  /// Queues bytes and hands the driver what it takes at once.
  ///
  /// - Throws: ``SerialError``: `notOpen`, or `queueFull` when there is not room for all of them;
  ///   none is taken then.
  public func write(_ bytes: RawSpan) throws(SerialError) {
    guard let link else { throw notOpen(in: "write") }
    let taken = bytes.withUnsafeBytes { queue.append($0) }
    guard taken else { throw SerialError(.queueFull, in: "write", at: link.path) }
    // Inside a round the bytes that observers are shown could change before all have seen them.
    if events.isNotifying { tellInterest() } else { sendQueued() }
  }

  /// Forgets what the driver has not taken.
  ///
  /// - Parameter kept: how many bytes stay queued, those that were written first.
  /// - Returns: how many bytes were forgotten.
  @discardableResult
  public func discardUnsent(keeping kept: Int = 0) -> Int {
    defer { tellInterest() }
    let count = max(0, queuedByteCount - kept)
    queue.removeLast(count)
    return count
  }

  /// Asks the pacer again what may go, as soon as the loop finds the port writable.
  public func continueSending() { isHeldBack = false }

  private var allowance: Int {
    let front = queue.front
    return pacer?.session(self, allowanceFor: front.bytes) ?? front.count
  }

  /// Hands the driver what it takes, until it takes no more.
  func sendQueued() {
    defer { tellInterest() }
    while let link, !queue.isEmpty, !isSendingPaused, !isHeldBack {
      let front = UnsafeRawBufferPointer(rebasing: queue.front.prefix(allowance))
      guard !front.isEmpty else { return isHeldBack = true }
      do throws(SerialError) {
        guard case .bytes(let count) = try link.write(front) else { return }
        takenCount = count
        notify(.sent(UnsafeRawBufferPointer(rebasing: front[..<count])))
        takenCount = 0
        queue.removeFirst(count)
      } catch {
        return loseLink(error)
      }
    }
  }
}
