import EventLoop
import Observing
import Patterns
import SerialCore
import Sessions
import Time

/// Watches a port for the events of alert rules.
final class AlertWatch {
  private let session: Session
  private var stateChanges: ObservationToken<SessionEvent>?
  private let loop: IOLoop
  private let onReport: (Report) -> Void
  /// The indices of the rules of each kind.
  private let matchRules: [Int]
  private let lossRules: [Int]
  private var search: AlertSearch
  private var decoder: ReceivedDecoder?
  private var subscription: Hub.Subscription?
  private var timer: LoopTimer?
  private var lastTime: MonotonicTime
  private var hasSaidOverBudget = false

  /// The silence after which an unfinished line is searched.
  static let pause = Duration.milliseconds(100)

  /// A report of the watch.
  enum Report {
    /// The event of a rule, by its index.
    case event(rule: Int, AlertEvent)
    /// The expressions take too long. Reported once.
    case overBudget
  }

  /// - Parameter onReport: called with each report.
  init(
    _ controller: SessionController, for rules: [AlertRule], on loop: IOLoop,
    onReport: @escaping (Report) -> Void
  ) {
    session = controller.session
    self.loop = loop
    self.onReport = onReport
    lastTime = loop.now
    var patterns: [Pattern] = []
    var (matchRules, lossRules): ([Int], [Int]) = ([], [])
    for (index, rule) in rules.enumerated() {
      switch rule.trigger {
      case .match(let pattern):
        patterns.append(pattern)
        matchRules.append(index)
      case .disconnect: lossRules.append(index)
      }
    }
    (self.matchRules, self.lossRules) = (matchRules, lossRules)
    search = AlertSearch(patterns)
    stateChanges = session.observe(.stateChange) { [unowned self] in
      if $0.old.isOpen, !$0.new.isOpen { portDidClose(from: $0.old, to: $0.new) }
    }
    guard !patterns.isEmpty else { return }
    decoder = ReceivedDecoder(controller.encoding, on: loop) { [unowned self] text, _ in
      receive(text)
    }
    subscription = controller.hub.subscribe(as: .listener) {
      [unowned self, unowned controller] bytes, moment in
      decoder?.encoding = controller.encoding
      decoder?.add(bytes, at: moment)
    }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    report(search.receive(bytes))
    guard search.isWaiting else { return }
    lastTime = loop.now
    if timer == nil { waitForPause(Self.pause) }
  }

  /// Waits for a pause, with one timer for any number of pieces.
  private func waitForPause(_ time: Duration) {
    timer = loop.schedule(after: time) { [unowned self] in
      timer = nil
      let rest = lastTime + Self.pause - loop.now
      if rest > .zero { waitForPause(rest) } else { report(search.pause()) }
    }
  }

  private func report(_ matches: [AlertSearch.Match]) {
    for match in matches {
      let event = AlertEvent(
        kind: .match, device: device, match: match.text, line: match.line)
      onReport(.event(rule: matchRules[match.index], event))
    }
    if search.isOverBudget, !hasSaidOverBudget {
      hasSaidOverBudget = true
      onReport(.overBudget)
    }
  }

  private var device: String { session.state.endpoint.map { "\($0)" } ?? "" }

  private func portDidClose(from old: SessionState, to new: SessionState) {
    report(search.pause())
    let isLost =
      switch new {
      case .waitingForDevice, .closed(.lost): true
      default: false
      }
    guard isLost else { return }
    let name = (old.endpoint ?? new.endpoint).map { "\($0)" } ?? ""
    for rule in lossRules {
      let event = AlertEvent(kind: .disconnect, device: name, match: "", line: "")
      onReport(.event(rule: rule, event))
    }
  }
}

/// An event, as the environment of a command describes it.
struct AlertEvent: Hashable {
  enum Kind: String {
    case match, disconnect
  }

  let kind: Kind
  /// The device, as messages name it.
  let device: String
  /// The matching text.
  let match: String
  /// The line that contains it, as far as it was received.
  let line: String
}
