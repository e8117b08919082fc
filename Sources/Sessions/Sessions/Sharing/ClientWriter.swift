import EventLoop

/// Writes a client's bytes to the device, in order: they wait while there is no room, and are
/// dropped while the client may not write.
final class ClientWriter {
  private let member: ClientMember
  private let sharing: SharingController
  private let input: ClientInput
  private let loop: IOLoop
  /// Bytes that may be sent but have no room yet.
  private var pending: [UInt8] = []
  private(set) var isWaiting = false
  /// The number of bytes that were dropped since the pen moved.
  private var droppedCount = 0
  private var isStopped = false

  /// - Parameter input: reads nothing while bytes wait.
  init(
    of member: ClientMember, in sharing: SharingController, pausing input: ClientInput,
    on loop: IOLoop
  ) {
    self.member = member
    self.sharing = sharing
    self.input = input
    self.loop = loop
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    guard pending.isEmpty else { return pending.append(contentsOf: bytes) }
    switch sharing.write(bytes, by: member.id) {
    case .queued(bytes.count): break
    case .queued(let count):
      wait(with: bytes[count...])
      // The bytes that were taken may have ended a line.
      loop.atEndOfTurn { [weak self] in self?.writePending() }
    case .wait: wait(with: bytes[...])  // The session calls when there is room.
    case .refused: refuse(bytes.count)
    }
  }

  private func wait(with rest: Slice<UnsafeRawBufferPointer>) {
    pending = Array(rest)
    isWaiting = true
    input.isPaused = true
  }

  /// Writes the bytes that wait, if the session may take them now.
  func writePending() {
    guard isWaiting, !isStopped else { return }
    isWaiting = false
    let bytes = pending
    pending = []
    bytes.withUnsafeBytes { write($0) }
    if !isWaiting { input.isPaused = false }
  }

  /// Writes nothing any more.
  ///
  /// - Returns: the number of bytes that wait.
  func stop() -> Int {
    isStopped = true
    return pending.count
  }

  /// Reports, once for each holder of the pen, that bytes are dropped.
  func refuse(_ count: Int) {
    if droppedCount == 0 { member.refuse(count) }
    droppedCount += count
  }

  /// Handles another holder of the pen.
  func penDidMove() { droppedCount = 0 }

  /// Discards the client's bytes that were not sent. Those of others are not its to discard.
  ///
  /// - Returns: their number.
  func discardUnsent() -> Int {
    let count = pending.count + sharing.discardUnsent(by: member.id)
    pending = []
    if isWaiting {
      isWaiting = false
      input.isPaused = false
    }
    return count
  }
}
