package import EventLoop
import Observing
import Posix
package import Reconnecting
package import SerialCore
import SystemPackage

/// A program that borrows the port.
package protocol Borrower: AnyObject {
  /// Its name and process ID, shown to the user.
  var name: String { get }

  /// Receives a reply: first whether it has the port; after it has given the port back, the result.
  func receive(_ reply: ControlReply)
}

/// Decides whether a session has its port open or released.
///
/// The user (with a key or a signal) and every borrowing program can hold a claim. The port is
/// reopened when the last claim ends, so a key press does not take the port away from a flashing
/// tool. To get the port back sooner, the user ends the tool.
///
/// Before the port is released, queued bytes are sent, for at most ``patience``.
package final class PortLender {
  private let session: Session
  private var stateChanges: ObservationToken<SessionEvent>?
  private let loop: IOLoop
  private let report: (SessionNews) -> Void
  private let onUnsent: (Int) -> Void
  private let refusal: () -> String?
  /// The time limit for sending the queued bytes before the port is released.
  package var patience = Drain.Patience(total: .zero)
  private var isWantedByUser = false
  private var borrowers: [any Borrower] = []
  /// Borrowers that have not received a reply about getting the port.
  private var expectant: [any Borrower] = []
  /// Borrowers that have finished, and have not received a reply about the port being open again.
  private var departing: [any Borrower] = []
  private var drain: Drain?
  private var returnTimer: LoopTimer?

  /// The time that a borrower that has finished waits for the port to be open again.
  private static let returnPatience = Duration.seconds(2)

  /// Creates the lender of a session.
  ///
  /// - Parameters:
  ///   - refusal: returns the reason why the port may not be released now; nil if it may.
  ///   - onUnsent: called with the number of bytes that the driver had accepted but not sent when
  ///     the port was released.
  ///   - report: receives news for the user.
  package init(
    _ session: Session, on loop: IOLoop, refusal: @escaping () -> String? = { nil },
    onUnsent: @escaping (Int) -> Void = { _ in }, report: @escaping (SessionNews) -> Void
  ) {
    (self.refusal, self.onUnsent) = (refusal, onUnsent)
    self.session = session
    self.loop = loop
    self.report = report
    stateChanges = session.observe(.stateChange) { [unowned self] _ in answer() }
  }

  private var isWanted: Bool { isWantedByUser || !borrowers.isEmpty }

  /// The names of the programs that have the port, as text; nil if there are none.
  package var borrowerNames: String? {
    borrowers.isEmpty ? nil : borrowers.map(\.name).joined(separator: ", ")
  }

  // MARK: The user

  /// Adds or removes the user's claim. The command checks first whether that is possible.
  package func toggle() { setClaim(!isWantedByUser) }

  /// Sets whether the user has a claim. The command checks first whether that is possible.
  package func setClaim(_ isWanted: Bool) {
    guard isWanted != isWantedByUser else { return }
    isWantedByUser = isWanted
    if let borrowerNames { report(.claim(isWanted: isWantedByUser, borrowers: borrowerNames)) }
    update()
  }

  // MARK: Programs

  /// Whether a port belongs to the session.
  package func has(_ port: ControlRequest.Port) -> Bool {
    guard let endpoint = session.state.endpoint else { return false }
    return switch port {
    case .device(let device): endpoint.path?.deviceNumber == device && !isReused(device)
    case .endpoint(let name): endpoint.path == nil && endpoint.canonicalName == name
    }
  }

  /// Adds a borrower's claim, if it asks for the session's port.
  package func lend(_ port: ControlRequest.Port, to borrower: any Borrower) {
    guard has(port) else { return borrower.receive(.other) }
    if let reason = refusal() { return borrower.receive(.no(reason)) }
    borrowers.append(borrower)
    expectant.append(borrower)
    update()
    if drain != nil && session.unsentByteCount > 0 { borrower.receive(.wait) }
  }

  /// Whether the path of the session now leads to another device: the kernel gives the number of a
  /// closed pseudo-terminal to the next one that is opened.
  private func isReused(_ device: DeviceID) -> Bool {
    switch session.state {
    case .waitingForDevice(_, .released): false
    case .waitingForDevice: device.isPseudoTerminal
    case .closed, .opening, .open, .released: false
    }
  }

  /// Removes a borrower's claim. It gets a reply when the port is open again, or after
  /// a time limit.
  package func end(_ borrower: any Borrower) {
    guard borrowers.contains(where: { $0 === borrower }) else { return }
    departing.append(borrower)
    withdraw(borrower)
  }

  /// Removes a borrower's claim, if it has one; it receives no more replies.
  package func forget(_ borrower: any Borrower) {
    departing.removeAll { $0 === borrower }
    if borrowers.contains(where: { $0 === borrower }) { withdraw(borrower) }
  }

  private func withdraw(_ borrower: any Borrower) {
    drop(borrower)
    if isWanted { report(.borrowerFinished(borrower.name)) }
    update()
  }

  private func drop(_ borrower: any Borrower) {
    borrowers.removeAll { $0 === borrower }
    expectant.removeAll { $0 === borrower }
  }

  // MARK: The port

  /// Opens or releases the port according to the claims.
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
    // Deferred: if there is nothing to send, the drain ends before it is stored.
    drain = Drain(session, on: loop, patience: patience) { [weak self, loop] in
      loop.atEndOfTurn { self?.drained() }
    }
  }

  private func drained() {
    // The release may have been cancelled.
    guard drain != nil else { return }
    drain = nil
    letGo()
    answer()
  }

  private func letGo() {
    switch session.release() {
    case .refused: refuse()
    case .done(let discarded): onUnsent(discarded.total)
    }
  }

  /// The session's delegate refused: an operation began while the port was about to be released.
  private func refuse() {
    isWantedByUser = false
    let reason = refusal() ?? "the session keeps the port"
    report(.releaseRefused(because: reason))
    let refused = expectant
    for borrower in refused {
      drop(borrower)
      borrower.receive(.no(reason))
    }
  }

  // MARK: Replies

  /// Sends the replies that follow from the session's state.
  private func answer() {
    guard let endpoint = session.state.endpoint else { return }
    let port = endpoint.path?.string ?? "\(endpoint)"
    switch session.state {
    case .released:
      send(.released(port), to: &expectant)
      send(.released(port), to: &departing)
    case .open:
      returnTimer = nil
      send(.back(port), to: &departing)
    case .waitingForDevice:
      if !departing.isEmpty && returnTimer == nil { answerLater(.waiting(port)) }
    case .opening, .closed: break
    }
  }

  private func answerLater(_ reply: ControlReply) {
    returnTimer = loop.schedule(after: Self.returnPatience) { [unowned self] in
      returnTimer = nil
      send(reply, to: &departing)
    }
  }

  private func send(_ reply: ControlReply, to borrowers: inout [any Borrower]) {
    let receivers = borrowers
    borrowers = []
    if receivers.isEmpty { return }
    // Deferred: a borrower may call back when it receives the reply.
    loop.atEndOfTurn { for borrower in receivers { borrower.receive(reply) } }
  }
}
