import EventLoop
import Observing
import Scrollback
import SerialCore
import Sessions
import Telnet
import TextTools
import Time

/// A session that an agent has opened or joined: its port, what the device has sent, and the calls
/// that write to it, which are performed one after the other.
final class AgentSession {
  /// The word by which calls name the session.
  let id: String
  let port: Port
  /// The session of a person that the agent has joined; nil if the port is its own.
  let joined: RunningSession?
  /// What the device sent last.
  let scrollback = Scrollback(capacity: AgentSession.capacity)
  /// When the device sent the last bytes.
  private(set) var lastArrival: MonotonicTime
  /// The offset up to which the agent has read.
  var readOffset = 0
  /// The number of bytes that the joined session has left out.
  private(set) var missedCount = 0
  /// Why the session has ended; nil while it goes on.
  private(set) var end: String?
  /// Reports the end once.
  let ends = Observable<String>()
  /// The loan of a joined session's port; nil for none.
  var loan: PortLoan?
  /// The author of what the agent writes here. The owner of the session is another one while a
  /// person has the pen.
  let author: Author
  /// What the agent has asked to write last, as a person sees it. The answer may be still to come.
  var question: String?
  /// Whether bytes of the agent are on their way. The pen stays until they are sent.
  var isWriting = false {
    didSet { if !isWriting { yieldPen() } }
  }

  private var keeping: Hub.Subscription?
  private var news: ObservationToken<RemoteSharing.News>?
  private var failures: ObservationToken<SessionError>?
  private var requests: ObservationToken<Change<TerminalState>>?
  /// The call that writes, and those that wait for it.
  private var current: AgentCall?
  private var waiting: [(call: AgentCall, begin: () -> Void)] = []

  /// The memory for received bytes.
  static let capacity = 2 << 20
  /// The number of calls that may wait to write.
  private static let waitingLimit = 32

  init(_ id: String, _ port: Port, joining joined: RunningSession?, on loop: IOLoop) {
    (self.id, self.port, self.joined) = (id, port, joined)
    author = port.session.owner
    lastArrival = loop.now
    keeping = port.controller.hub.subscribe(as: .log) { [unowned self, unowned loop] in
      lastArrival = loop.now
      scrollback.add($0, at: $1.wallClock)
    }
    // The bytes are kept once: people who join the session get them from here.
    port.controller.sharing.scrollback = scrollback
    news = port.controller.userSharing.remoteNews.observe { [unowned self] in
      switch $0 {
      case .history(let bytes, let time, _): bytes.withUnsafeBytes { scrollback.add($0, at: time) }
      case .missed(let count): missedCount += count
      case .ended(let reason): finish(because: "the session has ended: \(reason)")
      case .userJoined, .screen, .joined, .renamed, .ownNameChanged, .left: break
      case .penMoved, .asked, .kept, .port: break
      }
    }
    failures = port.controller.ends.observe { [unowned self] in
      finish(because: Failure($0).messageForAgents)
    }
    requests = port.model.$state.observe { [unowned self, unowned loop] in
      guard Self.firstKeeper(in: $0.new.sharing) != nil, !isWriting else { return }
      // Not during the notification of the others.
      loop.atEndOfTurn { [weak self] in self?.yieldPen() }
    }
  }

  /// The present name of the port, which is safe to show.
  var portName: String {
    (joined?.summary.port ?? port.session.state.endpoint.map { "\($0)" } ?? "the port").harmless
  }

  /// The state in a word.
  var state: String {
    if end != nil { return "ended" }
    return switch port.session.state {
    case .open:
      switch port.model.state.sharing.portTrouble {
      case nil, .open: "open"
      case .waiting: "waiting"
      case .released: "released"
      case .closed: "ended"
      }
    case .opening: "opening"
    case .waitingForDevice: "waiting"
    case .released: "released"
    case .closed: "closed"
    }
  }

  /// Why the port is not open although its device may be there; nil if only that is missing.
  var waitReason: String? { end == nil ? port.session.state.waitReason?.harmless : nil }

  /// Whether the port is open, and the joined session has said who has the pen.
  var isReady: Bool {
    port.session.state.isOpen && !port.model.state.sharing.isJoining
  }

  /// Notes that the session has ended, and answers the calls that use it.
  func finish(because reason: String) {
    guard end == nil else { return }
    end = reason
    ends.notify(reason)
    let calls = [current].compactMap(\.self) + waiting.map(\.call)
    waiting = []
    for call in calls { call.fail(reason) }
  }

  /// Gives the pen to who has asked for it, unless bytes of the agent are on their way.
  private func yieldPen() {
    let control = port.penControl
    guard !isWriting, let person = Self.firstKeeper(in: control.sharing) else { return }
    control.give(to: person.id)
  }

  /// The first member who has asked to keep the pen. What another agent asks to write is a
  /// person's decision.
  private static func firstKeeper(in sharing: Sharing) -> Sharing.Person? {
    sharing.applicants.first { $0.text == nil }?.person
  }

  // MARK: Writing in turn

  /// Performs a call when those before it are over.
  func inTurn(_ call: AgentCall, _ begin: @escaping () -> Void) {
    guard current != nil else {
      current = call
      return begin()
    }
    guard waiting.count < Self.waitingLimit else {
      return call.fail("too many calls wait for \(id)")
    }
    waiting.append((call, begin))
  }

  /// Begins the next call. Call it when a call is over.
  func callDidEnd(_ call: AgentCall) {
    waiting.removeAll { $0.call === call }
    guard current === call else { return }
    current = nil
    guard !waiting.isEmpty else { return }
    let (next, begin) = waiting.removeFirst()
    current = next
    begin()
  }
}
