import EventLoop
import SerialCore
import SystemPackage

/// Who borrows the port, and hears how that goes.
protocol Borrower: AnyObject {
  /// Who it is, in words for the user.
  var name: String { get }

  /// Hears whether it has the port: of all but `wait` once, and of the return when it has ended.
  func hear(_ reply: ControlReply)
}

/// Decides whether a session has its port or has let go of it, for all who may want either: the
/// user, by a key or a signal, and programs that borrow the port.
///
/// Each who wants the port released has a claim, the user one; the port is taken back when the last
/// claim has ended. So nothing that the user does in passing can get between a flashing tool and
/// its device; to have the port sooner the user ends that tool.
///
/// Before a port is let go of, what was given to be sent is sent, for as long as the patience lasts.
final class ReleaseDesk: SessionObserver {
  /// Called with what the user should know.
  var onMessage: (String) -> Void = { _ in }
  /// Called with the number of bytes that the driver had taken, and did not send before the port was
  /// let go of.
  var onUnsent: (Int) -> Void = { _ in }

  private let session: Session
  private let loop: EventLoop
  /// How long what is left to send may take before the port is released.
  var patience = Drain.Patience(total: .zero)
  /// Why programs may not have the port, in words; nil if they may.
  var refusal: String?
  private var isWantedByUser = false
  private var borrowers: [any Borrower] = []
  /// Those who have not heard yet whether they have the port.
  private var expectant: [any Borrower] = []
  /// Those who have ended, and have not heard yet whether the port is back.
  private var departing: [any Borrower] = []
  private var drain: Drain?
  private var returnTimer: Timer?

  /// How long a borrower that has ended waits for the port to be open again.
  private static let returnPatience = Duration.seconds(2)

  init(_ session: Session, on loop: EventLoop) {
    self.session = session
    self.loop = loop
    session.addObserver(self)
  }

  private var isWanted: Bool { isWantedByUser || !borrowers.isEmpty }

  /// Who has the port, in words; nil when the user alone wants it released.
  var borrowerNames: String? {
    borrowers.isEmpty ? nil : borrowers.map(\.name).joined(separator: ", ")
  }

  // MARK: The user

  /// Makes the user's claim, or ends it.
  func toggle() {
    isWantedByUser.toggle()
    if let borrowerNames {
      let then = isWantedByUser ? "stays released" : "is taken back"
      onMessage("the port \(then) when \(borrowerNames) has ended.")
    }
    update()
  }

  // MARK: Programs

  /// Makes a borrower's claim, if it is about the session's device.
  func lend(_ device: DeviceID, to borrower: any Borrower) {
    guard session.state.path?.deviceNumber == device else { return borrower.hear(.other) }
    if let refusal { return borrower.hear(.no(refusal)) }
    borrowers.append(borrower)
    expectant.append(borrower)
    update()
    if drain != nil && session.unsentByteCount > 0 { borrower.hear(.wait) }
  }

  /// Ends a borrower's claim; it hears how the port is when it is back, or after a while.
  func end(_ borrower: any Borrower) {
    guard borrowers.contains(where: { $0 === borrower }) else { return }
    departing.append(borrower)
    withdraw(borrower)
  }

  /// Ends a borrower's claim, if it has one; it hears nothing any more.
  func forget(_ borrower: any Borrower) {
    departing.removeAll { $0 === borrower }
    if borrowers.contains(where: { $0 === borrower }) { withdraw(borrower) }
  }

  private func withdraw(_ borrower: any Borrower) {
    drop(borrower)
    if isWanted { onMessage("\(borrower.name) has ended; the port stays released.") }
    update()
  }

  private func drop(_ borrower: any Borrower) {
    borrowers.removeAll { $0 === borrower }
    expectant.removeAll { $0 === borrower }
  }

  // MARK: The port

  /// Brings about what is wanted.
  private func update() {
    switch (session.state, isWanted) {
    case (.open, true):
      if drain == nil { letGoWhenSent() }
    case (.waitingForDevice, true), (.opening, true): letGo()
    case (.open, false), (.waitingForDevice, false), (.opening, false): drain = nil
    case (.released, false): session.takeBack()
    case (.released, true), (.closed, _): break
    }
    answer()
  }

  private func letGoWhenSent() {
    // Put off, because what has been sent already is told at once.
    drain = Drain(session, on: loop, patience: patience) { [weak self, loop] _ in
      loop.atEndOfTurn { self?.drained() }
    }
  }

  private func drained() {
    // It may have been called off.
    guard drain != nil else { return }
    drain = nil
    letGo()
    answer()
  }

  private func letGo() {
    let unsentByDriver = session.unsentByteCount - session.queuedByteCount
    guard session.release() else { return refuse() }
    if unsentByDriver > 0 { onUnsent(unsentByDriver) }
  }

  /// The session's delegate has said no.
  private func refuse() {
    isWantedByUser = false
    onMessage("the port cannot be released now.")
    let refused = expectant
    for borrower in refused {
      drop(borrower)
      borrower.hear(.no("the session cannot let go of the port now"))
    }
  }

  // MARK: Answering

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    answer()
  }

  /// Tells those who wait for it where the port is.
  private func answer() {
    switch session.state {
    case .released(let path):
      tell(&expectant, .released(path))
      tell(&departing, .released(path))
    case .open(let path, _):
      returnTimer = nil
      tell(&departing, .back(path))
    case .waitingForDevice(let path, _):
      if !departing.isEmpty && returnTimer == nil { answerLater(.waiting(path)) }
    case .opening, .closed: break
    }
  }

  private func answerLater(_ reply: ControlReply) {
    returnTimer = loop.schedule(after: Self.returnPatience) { [unowned self] in
      returnTimer = nil
      tell(&departing, reply)
    }
  }

  private func tell(_ listeners: inout [any Borrower], _ reply: ControlReply) {
    let told = listeners
    listeners = []
    if told.isEmpty { return }
    // They may come back to us while they hear.
    loop.atEndOfTurn { for borrower in told { borrower.hear(reply) } }
  }
}
