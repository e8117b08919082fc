import EventLoop
import Observing
import SerialCore
import Sessions
import SystemPackage

/// Opens the port of a session for a call, or joins the session of a person. A session that was not
/// opened is removed.
final class AgentOpening: AgentOperation {
  private let session: AgentSession
  private let call: AgentCall
  private let server: AgentServer
  private var changes: ObservationToken<Change<TerminalState>>?
  private var end: ObservationToken<String>?
  private var news: ObservationToken<SessionNews>?
  private var isDone = false

  init(_ session: AgentSession, for call: AgentCall, in server: AgentServer) {
    (self.session, self.call, self.server) = (session, call, server)
  }

  var timeLimit: Duration { call.arguments.duration("timeout") ?? .seconds(10) }

  func begin() {
    let port = session.port
    end = session.ends.observe { [unowned self] in call.fail($0) }
    news = port.controller.news.observe { [unowned self] in
      guard case .refused(let error) = $0 else { return }
      switch error.code {
      // A node that has come, and will not be another one.
      case .attended, .notAdmitted: call.fail(Failure(error).messageForAgents)
      default: break
      }
    }
    do {
      guard try port.bind(mayAsk: false) == nil else {
        return call.fail("several devices match: name one of them, as list_ports does")
      }
      try port.controller.device.startReconnecting()
    } catch {
      return call.fail((error as? Failure)?.messageForAgents ?? "\(error)")
    }
    changes = port.model.$state.observe { [unowned self] _ in finishIfReady() }
    finishIfReady()
  }

  private func finishIfReady() {
    guard session.isReady, !call.isOver else { return }
    isDone = true
    call.finish(server.opened(session))
  }

  func timeOut() -> AgentCall.Outcome? {
    .failed("Timed out: \(session.portName) is \(session.state).")
  }

  func stop() {
    (changes, end, news) = (nil, nil, nil)
    guard !isDone else { return }
    server.loop.atEndOfTurn { [server, session] in server.remove(session) }
  }
}
