import EventLoop
import Observing
import Posix
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import TextTools

/// Releases the port of a session to other programs for a call, or takes it back.
final class AgentLending: AgentOperation {
  private let session: AgentSession
  private let call: AgentCall
  private let loop: IOLoop
  private let direction: Direction
  private var changes: ObservationToken<Change<TerminalState>>?
  private var isDone = false

  enum Direction {
    case release, takeBack
  }

  init(_ direction: Direction, of session: AgentSession, for call: AgentCall, on loop: IOLoop) {
    (self.direction, self.session, self.call, self.loop) = (direction, session, call, loop)
  }

  var timeLimit: Duration { call.arguments.duration("timeout") ?? .seconds(10) }

  private var port: Port { session.port }
  private var wantedState: String { direction == .release ? "released" : "open" }

  func begin() {
    if let reason = session.end { return call.fail(reason) }
    changes = port.model.$state.observe { [unowned self] _ in finishIfReady() }
    switch direction {
    case .release: release()
    case .takeBack: giveClaimUp()
    }
    finishIfReady()
  }

  private func release() {
    guard session.state != "released" else { return }
    if let joined = session.joined { return borrow(from: joined) }
    if let reason = port.reasonNotToRelease { return call.fail(reason) }
    port.lender.setClaim(true)
  }

  /// Asks the program of the person, which then closes the port.
  private func borrow(from joined: RunningSession) {
    let name = joined.summary.port
    let wanted =
      FilePath(name).deviceNumber.map { ControlRequest.Port.device($0) } ?? .endpoint(name)
    do throws(Errno) {
      session.loan = try PortLoan(
        of: ControlRequest(port: wanted, borrower: port.server.commandName), on: loop
      ) { [weak self, weak session] event in
        switch event {
        case .released: self?.finish(as: "released")
        case .refused(let reason):
          session?.loan = nil
          self?.call.fail(reason)
        case .returned: session?.loan = nil
        }
      }
    } catch {
      call.fail("the session cannot be asked: \(error)")
    }
  }

  private func giveClaimUp() {
    session.loan?.giveBack()
    port.lender.setClaim(false)
  }

  private func finishIfReady() {
    // The loan reports when the program of the person has released the port.
    guard direction == .takeBack || session.loan == nil else { return }
    if session.state == wantedState { finish(as: wantedState) }
  }

  private func finish(as state: String) {
    guard !call.isOver else { return }
    isDone = true
    let node = session.joined?.summary.port ?? port.session.state.endpoint?.path?.string
    var members: [(String, JSON)] = [("session", .string(session.id)), ("state", .string(state))]
    if direction == .release { members.append(("node", JSON(node?.harmless))) }
    call.finish(.done(members, text: "\(session.portName) is \(state)."))
  }

  func timeOut() -> AgentCall.Outcome? {
    .failed("Timed out: \(session.portName) is \(session.state).")
  }

  /// A release that was cut off is undone.
  func stop() {
    changes = nil
    guard direction == .release, !isDone else { return }
    giveClaimUp()
    session.loan = nil
  }
}
