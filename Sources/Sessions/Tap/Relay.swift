import Observing
package import SerialCore

/// Passes what one session receives to another one, at once and unchanged.
///
/// ## Principles of operation
///
/// - While the other side takes bytes slowly, ``limit`` of them wait in its queue. Then this side
///   is not read any more, so that its own sender waits, and nothing is dropped.
/// - While the other side is not there, its bytes go nowhere, as on a cut cable, and are counted.
package final class Relay {
  /// The number of waiting bytes at which the source is not read any more.
  package static let limit = 65_536
  /// The room that the queue of a session needs: what waits, a read of the source, and what the
  /// source had when it hung up.
  package static let queueCapacity = 4 * limit

  /// The number of bytes that came while the other side was not there.
  package private(set) var strayCount = 0

  private let destination: Session
  private var subscription: Hub.Subscription?
  private var observations: [ObservationToken<SessionEvent>] = []
  /// What came while the relay is held.
  private var held: [UInt8] = []
  private var isHeld = false
  private var skipsNextByte = false

  /// Starts to pass bytes.
  package init(from hub: Hub, to destination: Session) {
    self.destination = destination
    subscription = hub.subscribe(as: .listener, whenFull: .wait) { [unowned self] bytes, _ in
      receive(bytes)
    }
    observations = [
      destination.observe(.sent) { [unowned self] _ in update() },
      // After the queue for the lost device was discarded.
      destination.observe(.stateChange, rank: .reconnector) { [unowned self] _ in update() },
    ]
  }

  /// Leaves out the next byte: it stands for a break, which is forwarded in another way.
  func skipNextByte() { skipsNextByte = true }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes
    if skipsNextByte {
      skipsNextByte = false
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }
    guard !bytes.isEmpty else { return }
    if isHeld { held += bytes } else { pass(bytes) }
    update()
  }

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    do throws(SerialError) {
      try destination.write(bytes.bytes)
    } catch {
      strayCount += bytes.count
    }
  }

  private func update() {
    subscription?.update(
      isFull: isHeld || destination.isOpen && destination.queuedByteCount >= Self.limit)
  }

  /// Stops to pass bytes and to read the source, until ``resume()``.
  package func hold() {
    isHeld = true
    update()
  }

  /// Ends ``hold()``.
  package func resume() {
    isHeld = false
    let waiting = held
    held = []
    if !waiting.isEmpty { waiting.withUnsafeBytes { pass($0) } }
    update()
  }

  /// Returns the number of stray bytes since the last call.
  func takeStrayCount() -> Int {
    defer { strayCount = 0 }
    return strayCount
  }
}
