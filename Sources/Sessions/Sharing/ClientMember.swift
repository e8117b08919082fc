import EventLoop
import NetworkLinks
import SerialCore
import Telnet
import TextTools

/// A client among the members of the session: its name, its right to write, and what it learns
/// about the others.
final class ClientMember {
  /// Its number among the members; ``SharingMessage/nobody`` until it has joined.
  private(set) var id: Roster.ID = SharingMessage.nobody
  /// Whether the client is a person's serialterm, which gets news of the other members.
  private(set) var isPerson = false
  /// What its program is.
  private var kind = SharingMessage.Introduction.Kind.person
  /// Whether a sequence of the client is being played.
  var playsSequence = false
  /// What the client knows of ``SharingController/refusals``, and of the port.
  private var sentRefusals = Sharing.Refusal.initial
  private var sentFeatures: SharingMessage.Features?
  private var sentCounters: LineCounters?

  private let configuration: ServedClient.Configuration
  private let session: Session
  private let sharing: SharingController
  private let channel: ClientChannel
  private let loop: IOLoop
  private let notify: (String, ServedClient.Report) -> Void
  /// Delays another name. Each is a message to all members.
  private var renaming: LoopTimer?
  /// The name that the client wants after that; nil for none.
  private var nextName: String?

  /// The time from one name to the next.
  static let renamingInterval = Duration.seconds(1)

  /// - Parameter notify: receives the reports for the owner, with the client's name.
  init(
    _ configuration: ServedClient.Configuration, of session: Session, in sharing: SharingController,
    through channel: ClientChannel, on loop: IOLoop,
    notify: @escaping (String, ServedClient.Report) -> Void
  ) {
    self.configuration = configuration
    self.session = session
    self.sharing = sharing
    self.channel = channel
    self.loop = loop
    self.notify = notify
  }

  /// The name that the other members see.
  var name: String { sharing.member(id)?.name ?? configuration.name }

  func report(_ report: ServedClient.Report) { notify(name, report) }

  /// Joins the session with the name that the connection has.
  func join(as participant: any Participant) {
    join(as: participant, named: MemberName(given: configuration.name), answers: false)
  }

  private func join(as participant: any Participant, named name: MemberName, answers: Bool) {
    id = sharing.join(participant) {
      Roster.Member(
        id: $0, name: name, answers: answers, takesFreePen: !configuration.isViewer,
        mayTake: configuration.mayTake)
    }
  }

  // MARK: The pen

  /// Handles bytes that the client may not write.
  func refuse(_ count: Int) {
    report(.mayNotWrite(count))
    channel.say("\(penInWords): what you type goes nowhere")
  }

  /// Why the client may not write, as text.
  var penInWords: String {
    switch sharing.roster.rule {
    case .none: sharing.isReadOnly ? "the session is read-only" : "nobody can type here"
    case .one, .all:
      sharing.roster.holder.flatMap { sharing.member($0) }.map { "\($0.name) has the pen" }
        ?? "you only watch"
    }
  }

  // MARK: Persons

  /// Handles the first message of a serialterm: sends it the members, and the state of the port.
  func identify(as introduction: SharingMessage.Introduction, _ participant: any Participant) {
    let name = memberName(introduction)
    if configuration.isViewer {
      join(as: participant, named: name, answers: true)
    } else {
      sharing.update(id) { ($0.memberName, $0.answers) = (name, true) }
    }
    kind = introduction.kind
    isPerson = true
    channel.update { server in
      server.send(.joined(id, mayTake: configuration.mayTake, sharing.roster.rule))
      // Its own name is among them: it may have a number.
      for member in sharing.roster.members {
        server.send(.member(member.id, name: member.name, answers: member.answers))
      }
      server.send(.pen(sharing.roster.holder ?? SharingMessage.nobody, .taken))
    }
    sendRefusals()
    sendPortState()
  }

  /// The name of a client that introduces itself.
  private func memberName(_ introduction: SharingMessage.Introduction) -> MemberName {
    let known = configuration.name
    // A person without a terminal calls itself as the kernel does.
    let hasOwnName =
      introduction.kind != .person || !introduction.name.isEmpty && introduction.name != known
    guard hasOwnName else { return MemberName(given: known) }
    return MemberName(introduction, at: configuration.isViewer ? nil : known)
  }

  /// Changes the name, as if the client had introduced itself with it: at once, or if it was
  /// changed a moment ago, a moment later to the newest one. A client that has not introduced
  /// itself keeps the name of its connection.
  private func rename(_ name: String) {
    guard isPerson else { return }
    guard renaming == nil else { return nextName = name }
    let new = memberName(SharingMessage.Introduction(name: name, kind: kind))
    sharing.update(id) { $0.memberName = new }
    renaming = loop.schedule(after: Self.renamingInterval) { [unowned self] in
      renaming = nil
      guard let name = nextName else { return }
      nextName = nil
      rename(name)
    }
  }

  /// Sends the bytes that were received before the client joined.
  func sendHistory() {
    channel.update { server in
      for message in sharing.past { server.send(message) }
    }
  }

  /// Performs a request of the client.
  func perform(_ message: SharingMessage) {
    switch message {
    case .ask: sharing.ask(id)
    case .give(let other): sharing.give(by: id, to: other)
    case .keep: sharing.keep(by: id)
    case .takePen: sharing.takePen(id)
    case .returnPen: sharing.returnPen(by: id)
    case .askToWrite(let text): sharing.ask(id, toWrite: text.harmless)
    case .rename(let name): rename(name)
    case .askForScreen:
      channel.update { server in for message in sharing.screen.messages() { server.send(message) } }
    case .hello, .joined, .history, .screen, .member, .left, .pen, .asks, .kept, .missed, .port,
      .ended, .features, .counters, .refusal, .askWhenSent, .sent, .readLog, .logBytes, .logPiece,
      .logFailed:
      break
    }
    channel.flush()
  }

  /// Sends a message, if the client is a person.
  func sendMessage(_ message: SharingMessage) {
    guard isPerson else { return }
    send { $0.send(message) }
  }

  private func send(_ change: (inout ComPortServer) -> Void) {
    channel.update(change)
    channel.flush()
  }

  // MARK: The port

  /// Why the client cannot do something; nil if it can.
  func refusal(_ subject: SharingMessage.Subject) -> Sharing.Refusal? {
    // The client knows of its own sequence, and decides itself what it does meanwhile.
    if subject == .noSequence && playsSequence { return nil }
    // Only those who have joined the session read its log: others have only opened its port.
    if subject == .sharedLog && !configuration.isViewer { return .logNotShared }
    return sharing.refusals[subject]
  }

  /// Sends the refusals that have changed.
  func sendRefusals() {
    guard isPerson else { return }
    for subject in SharingMessage.Subject.allCases {
      let refusal = refusal(subject)
      guard refusal != sentRefusals[subject] else { continue }
      sentRefusals[subject] = refusal
      sendMessage(.refusal(subject, code: refusal?.code ?? "", text: refusal?.text ?? ""))
    }
  }

  /// Sends the features of the port, if they have changed.
  func sendFeatures() {
    let features = SharingMessage.Features(session.capabilities).union(.reportsSent)
    guard isPerson, features != sentFeatures else { return }
    // The counters come first: those of another port are no changes.
    sendCounters()
    sentFeatures = features
    sendMessage(.features(features))
  }

  /// Sends the driver's counters, if the port has any and they have changed.
  func sendCounters() {
    guard isPerson, let counters = session.counters, counters != sentCounters else { return }
    sentCounters = counters
    sendMessage(.counters(counters))
  }

  /// Sends the features of the port, and its state. The features of an open port are known before
  /// it counts as open, and go after it has closed.
  func sendPortState() {
    if session.isOpen || sentFeatures == nil { sendFeatures() }
    let name = session.state.endpoint.map { "\($0)".harmless } ?? ""
    sendMessage(.port(SharingMessage.PortState(session.state), name: name))
    sendFeatures()
  }

  /// Sends settings that another member has changed.
  func send(_ settings: LineSettings) {
    guard isPerson else { return }
    send { $0.send(settings.forServer) }
  }

  /// Sends the output lines, which another member has changed. The protocol has no other message
  /// for them.
  func send(_ lines: ModemLines?) {
    guard isPerson, let lines else { return }
    send { $0.send(isDTROn: lines.contains(.dtr), isRTSOn: lines.contains(.rts)) }
  }

  /// Sends an event among the members.
  func send(_ event: Roster.Event) {
    switch event {
    case .joined(let member), .changed(_, let member):
      sendMessage(.member(member.id, name: member.name, answers: member.answers))
    case .left(let member): sendMessage(.left(member.id))
    case .moved(_, let member, let handover):
      sendMessage(.pen(member?.id ?? SharingMessage.nobody, handover))
    case .asked(let member, let text):
      if sharing.roster.holder == id { sendMessage(.asks(member.id, toWrite: text)) }
    case .kept(_, let refused): if refused.contains(where: { $0.id == id }) { sendMessage(.kept) }
    case .ruled(let rule):
      sendMessage(.joined(id, mayTake: configuration.mayTake, rule))
      sendMessage(.pen(sharing.roster.holder ?? SharingMessage.nobody, .taken))
    }
  }
}
