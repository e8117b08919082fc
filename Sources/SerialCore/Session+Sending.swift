import Observing
import Posix

extension Session {
  /// The number of bytes that ``write(_:by:)-(RawSpan,_)`` takes now.
  public var writeRoom: Int { outgoing.room }

  /// The number of bytes that were written and are not on the line yet: in the queue or
  /// in the driver.
  public var unsentByteCount: Int { queuedByteCount + (link?.unsentByteCount ?? 0) }

  /// The number of bytes that the driver has not taken.
  public var queuedByteCount: Int { outgoing.count }

  /// The number of bytes of an author that the driver has not taken.
  public func queuedByteCount(by author: Author) -> Int { outgoing.count(by: author) }

  /// Queues bytes, and writes as many as the driver takes at once.
  ///
  /// - Parameters:
  ///   - bytes: the bytes, which are copied.
  ///   - author: who writes; by default the ``owner``.
  /// - Throws: ``SerialError``: `notOpen`, `penTaken` with the author who has the pen, or
  ///   `queueFull` if there is no room for all bytes; the queue takes none then.
  public func write(_ bytes: RawSpan, by author: Author? = nil) throws(SerialError) {
    let author = author ?? owner
    try write(bytes, by: author, withPenOf: author)
  }

  /// Queues bytes of an author who writes for another one, as a terminal answers a device for the
  /// user: as ``write(_:by:)-(RawSpan,_)``, but with the pen of the other one.
  ///
  /// - Throws: ``SerialError``: as ``write(_:by:)-(RawSpan,_)``.
  package func write(
    _ bytes: RawSpan, by author: Author, withPenOf holder: Author
  ) throws(SerialError) {
    guard let link else { throw notOpen(in: "write") }
    guard holder == writer else {
      throw SerialError(.penTaken(by: writer), in: "write", at: link.endpoint)
    }
    let isQueued = bytes.withUnsafeBytes { outgoing.append($0, by: author) }
    guard isQueued else { throw SerialError(.queueFull, in: "write", at: link.endpoint) }
    // During a notification, the bytes that observers see must not change before all
    // have seen them.
    if events.isNotifying { notifyInterestChange() } else { sendQueued() }
  }

  /// Queues a text in UTF-8, as ``write(_:by:)-(RawSpan,_)`` queues bytes.
  ///
  /// - Throws: ``SerialError``: as ``write(_:by:)``.
  public func write(_ text: String, by author: Author? = nil) throws(SerialError) {
    let bytes = [UInt8](text.utf8)
    try write(bytes.span.bytes, by: author)
  }

  /// Asks the pacer again when the loop finds the port writable.
  public func continueSending() { holds.isHeldByPacer = false }

  private var allowance: Int {
    let front = outgoing.front
    return pacer?.session(self, allowanceFor: front.bytes) ?? front.count
  }

  /// Writes queued bytes until the driver takes no more.
  func sendQueued() {
    defer { notifyInterestChange() }
    while let link, !outgoing.isEmpty, holds.allowsSending {
      let front = UnsafeRawBufferPointer(rebasing: outgoing.front.prefix(allowance))
      guard !front.isEmpty else { return holds.isHeldByPacer = true }
      do throws(SerialError) {
        guard case .bytes(let count) = try link.write(front) else { return }
        sentByteCount += count
        notifySent(UnsafeRawBufferPointer(rebasing: front[..<count]))
        outgoing.removeTaken()
      } catch {
        return handleLoss(of: link, error)
      }
    }
  }

  /// Notifies of bytes at the front of the queue that the driver has taken: once for each author.
  private func notifySent(_ bytes: UnsafeRawBufferPointer) {
    // All of them are with the driver before the first notification.
    let (first, others) = outgoing.driverTook(bytes.count)
    forgetSent()
    notify(.sent, (UnsafeRawBufferPointer(rebasing: bytes[..<first.count]), first.author))
    var offset = first.count
    for run in others {
      let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + run.count)])
      notify(.sent, (part, run.author))
      offset += run.count
    }
  }

  /// Forgets the authors of bytes that the driver has sent. The driver is asked only when there are
  /// many runs, so rarely: a single author is a single run.
  private func forgetSent() {
    guard outgoing.hasManyTakenRuns, let link else { return }
    outgoing.forgetSent(except: link.unsentByteCount)
  }
}
