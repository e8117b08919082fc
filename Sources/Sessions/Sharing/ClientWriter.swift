import EventLoop
import Observing
import SerialCore
import Telnet

/// Writes a client's bytes to the device, in order: they wait while there is no room, and are
/// dropped while the client may not write. Tells the client when none of them wait, if it asks.
final class ClientWriter {
  private let member: ClientMember
  private let session: Session
  private let sharing: SharingController
  private let input: ClientInput
  private let loop: IOLoop
  /// Bytes that may be sent but have no room yet.
  private var pending: [UInt8] = []
  private(set) var isWaiting = false
  /// The number of bytes that were dropped since the pen moved.
  private var droppedCount = 0
  private var isStopped = false
  /// The last question of the client that is not answered; see ``askWhenSent(_:)``.
  private var question: UInt32?
  /// What may answer it; none while there is no question.
  private var changes: [ObservationToken<SessionEvent>] = []

  /// - Parameter input: reads nothing while bytes wait.
  init(
    of member: ClientMember, to session: Session, in sharing: SharingController,
    pausing input: ClientInput, on loop: IOLoop
  ) {
    self.member = member
    self.session = session
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
    answerIfSent()
  }

  /// Writes nothing any more.
  ///
  /// - Returns: the number of bytes that wait.
  func stop() -> Int {
    isStopped = true
    (question, changes) = (nil, [])
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
    answerIfSent()
    return count
  }

  /// Sends the client this number when none of its bytes wait, instead of that of an earlier
  /// question.
  func askWhenSent(_ number: UInt32) {
    question = number
    if changes.isEmpty {
      changes = [
        session.observe(.sent) { [unowned self] _ in answerIfSent() },
        // The bytes of a lost port may be discarded, by other observers.
        session.observe(.stateChange) { [unowned self] _ in
          loop.atEndOfTurn { [weak self] in self?.answerIfSent() }
        },
      ]
    }
    answerIfSent()
  }

  private func answerIfSent() {
    guard let question, pending.isEmpty else { return }
    guard sharing.queuedByteCount(by: member.id) == 0 else { return }
    (self.question, changes) = (nil, [])
    member.sendMessage(.sent(question))
  }
}
