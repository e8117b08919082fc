/// The bytes of the local user of a session in which everyone may write. They wait for the end of
/// a line that another member has begun.
final class HomeInput: Participant {
  private unowned let sharing: SharingController
  private let id: Roster.ID
  private var waiting: [UInt8] = []

  /// The maximum number of waiting bytes: typed text, or a short paste.
  private static let capacity = 65_536

  init(of sharing: SharingController, _ id: Roster.ID) { (self.sharing, self.id) = (sharing, id) }

  /// Writes bytes, or keeps them until they can be written.
  ///
  /// - Returns: whether all bytes were accepted. If too many wait, none are.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard waiting.count + bytes.count <= Self.capacity else { return false }
    waiting.append(contentsOf: bytes)
    if waiting.count == bytes.count { resumeWriting() }
    return true
  }

  func resumeWriting() {
    while !waiting.isEmpty {
      let outcome = waiting.withUnsafeBytes { sharing.write($0, by: id) }
      guard case .queued(let count) = outcome, count > 0 else { return }
      waiting.removeFirst(count)
    }
  }

  /// Discards the bytes that wait.
  ///
  /// - Returns: their number.
  func discard() -> Int {
    defer { waiting = [] }
    return waiting.count
  }

  /// Does nothing: bytes that were accepted wait until they may be written, or are counted
  /// at the end.
  func revoke() {}

  func rosterDidChange(_ event: Roster.Event) {}

  func end(because reason: String) {}
}
