import EventLoop
import Logs
import Posix
import Views
package import SerialCore
import Telnet

/// Somebody who has joined a session: a client's connection.
package protocol Participant: AnyObject {
  /// Its bytes may be taken now.
  func goOn()
  /// Something has happened among the members.
  func hear(_ event: Roster.Event)
  /// The session ends, and why.
  func end(because reason: String)
}

/// Lets several people and programs share a session: who is there, whose bytes go to the device, what those get
/// who come later.
///
/// The user who sits at the session is a member like the others. The rules are ``Roster``'s; this object gives
/// them effect: the member with the pen is the owner of the session (``SerialCore/Session/owner``).
package final class SharingDesk: PenDesk, SessionObserver {
  /// Called with each event of the members, after it has had its effect.
  package var onEvent: (Roster.Event) -> Void = { _ in }
  /// Called when ``sharing`` has changed.
  package var onChange: () -> Void = {}

  private unowned let session: Session
  private let loop: IOLoop
  package private(set) lazy var roster = makeRoster()
  private var makeRoster: () -> Roster = { Roster() }
  /// Returns what the device sent last, the oldest first, where somebody else keeps it; nil where it is kept here.
  package var keptElsewhere: (() -> [ReceivedHistory.Piece])? {
    didSet { record() }
  }
  /// What the device sent last, if it is kept here.
  private var ring = ReceivedHistory()
  private var recording: Hub.Subscription?
  private unowned let hub: Hub
  private var participants: [Roster.ID: any Participant] = [:]
  private var authors: [Roster.ID: Author] = [:]
  private var lastID: Roster.ID = 0
  /// Those whose bytes wait to be taken, in the order of coming.
  private var waiting: [Roster.ID] = []
  /// Whose line has begun, where everybody writes.
  private var turn: Roster.ID?
  private var turnLimit: LoopTimer?
  /// Where clients connect; see ``Sharing/addresses``.
  package var addresses: [String] = [] {
    didSet { onChange() }
  }

  /// The author of what nobody may write.
  private static let nobody = Author(Author.Kind("nobody"), "nobody")
  /// How long others wait for the end of a line that has begun.
  static let linePatience = Duration.seconds(5)

  init(of session: Session, _ hub: Hub, on loop: IOLoop) {
    self.session = session
    self.hub = hub
    self.loop = loop
    record()
    session.addObserver(self, of: [.sent, .stateChange, .penChange])
  }

  /// Writes bytes of the user, where everybody writes: at once, or when a line that has begun has ended.
  ///
  /// - Returns: whether they were taken: all of them, or none because too many wait.
  package func writeInTurn(_ bytes: UnsafeRawBufferPointer) -> Bool {
    homeInput?.take(bytes) ?? false
  }

  /// The user's bytes that wait for their turn.
  private var homeInput: HomeInput?

  private func record() {
    ring = ReceivedHistory()
    recording =
      keptElsewhere != nil
      ? nil
      : hub.subscribe(as: .log) { [unowned self] in ring.add($0, at: Moment.now.wallClock) }
  }

  /// What the device sent last, the oldest first.
  var history: [ReceivedHistory.Piece] { keptElsewhere?() ?? ring.all }

  /// Decides who may write, and who sits at the session. Call it before anybody joins.
  ///
  /// - Parameter name: returns the name of the user, or of the program, that sits at the session. It is called
  ///   when somebody wants to know: looking an account up takes a part of a start. Nil for nobody.
  package func begin(_ rule: Roster.Rule, home name: (() -> String)?, answers: Bool) {
    makeRoster = { [homeID] in
      var roster = Roster(rule)
      guard let name else { return roster }
      let home = Roster.Member(id: homeID, name: name(), answers: answers, mayTake: true)
      _ = roster.join(home, isHome: true)
      return roster
    }
    guard name != nil else { return }
    authors[homeID] = session.owner
    guard rule == .all else { return }
    let input = HomeInput(of: self, homeID)
    homeInput = input
    participants[homeID] = input
  }

  /// Whether anybody has joined.
  package var isShared: Bool { participants.contains { $0.key != homeID } }

  private var homeID: Roster.ID { SharingMessage.home }

  // MARK: Coming and going

  /// Adds a client, which gets a number.
  package func join(_ participant: any Participant, as member: (Roster.ID) -> Roster.Member)
    -> Roster.ID
  {
    lastID += 1
    let member = member(lastID)
    participants[lastID] = participant
    authors[lastID] = Author(.client, member.name)
    if participants.count == 1, roster.holder == nil, roster.home == nil {
      session.owner = Self.nobody
    }
    take(roster.join(member))
    return member.id
  }

  /// Changes what is known of a client: it says who it is.
  package func update(_ id: Roster.ID, _ change: (inout Roster.Member) -> Void) {
    guard let old = roster[id] else { return }
    roster.update(id, change)
    guard let member = roster[id] else { return }
    authors[id] = Author(.client, member.name)
    if roster.holder == id { updateOwner() }
    tell(.changed(from: old, to: member))
  }

  /// Removes a client.
  package func leave(_ id: Roster.ID) {
    participants[id] = nil
    waiting.removeAll { $0 == id }
    if turn == id { endTurn() }
    take(roster.leave(id))
    authors[id] = nil
  }

  /// Tells everybody that the session ends.
  package func end(because reason: String) {
    for participant in Array(participants.values) { participant.end(because: reason) }
  }

  private func take(_ events: [Roster.Event]) {
    for event in events {
      if case .moved = event { updateOwner() }
      tell(event)
    }
    if events.contains(where: { if case .moved = $0 { true } else { false } }) { callWaiting() }
  }

  private func tell(_ event: Roster.Event) {
    for participant in Array(participants.values) { participant.hear(event) }
    onEvent(event)
    onChange()
  }

  private func updateOwner() {
    guard roster.rule == .one else { return }
    session.owner = roster.holder.flatMap { authors[$0] } ?? Self.nobody
  }

  // MARK: Clients

  package func member(_ id: Roster.ID) -> Roster.Member? { roster[id] }

  package func ask(_ id: Roster.ID) { take(roster.ask(id)) }
  package func take(_ id: Roster.ID) { take(roster.take(id)) }
  package func keep(by id: Roster.ID) { take(roster.keep(by: id)) }
  package func giveBack(by id: Roster.ID) { take(roster.giveBack(by: id)) }
  package func give(by id: Roster.ID, to other: Roster.ID) { take(roster.give(by: id, to: other)) }

  /// A program is ready to use the port: it gets the pen if that is free.
  package func useFreePen(_ id: Roster.ID) { take(roster.useFreePen(id)) }

  /// Whether a client may change the line: its settings, its modem lines, breaks.
  package func maySetLine(_ id: Roster.ID) -> Bool {
    useFreePen(id)
    return roster.mayWrite(id) && session.writer == session.owner
  }

  /// Whether the device waits for a client that takes nothing: only for one that may write, so that nobody waits
  /// for a viewer.
  func mayHoldDevice(_ id: Roster.ID) -> Bool {
    switch roster.rule {
    case .one: roster.holder == id
    case .all, .none: roster.members.count == 1
    }
  }

  /// Whether others are there too, who would wait with the device.
  func hasOthers(than id: Roster.ID) -> Bool { roster.members.contains { $0.id != id } }

  /// What became of a client's bytes.
  package enum Writing: Hashable {
    /// This number of bytes at the front was queued.
    case taken(Int)
    /// None: ``Participant/goOn()`` is called when it may be tried again.
    case wait
    /// The client may not write.
    case refused
  }

  /// Queues bytes of a client, if it may write now.
  package func write(_ bytes: UnsafeRawBufferPointer, by id: Roster.ID) -> Writing {
    useFreePen(id)
    guard roster.mayWrite(id), let author = authors[id] else { return .refused }
    guard session.isOpen, session.writer == session.owner, session.writeRoom > 0,
      turn == nil || turn == id
    else { return wait(id) }
    let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(session.writeRoom))
    if roster.rule == .all { return writeLines(part, by: id, author) }
    return write(part, by: author) ? .taken(part.count) : wait(id)
  }

  private func write(_ bytes: UnsafeRawBufferPointer, by author: Author) -> Bool {
    (try? session.write(bytes.bytes, by: author)) != nil
  }

  private func wait(_ id: Roster.ID) -> Writing {
    if !waiting.contains(id) { waiting.append(id) }
    if turn != nil { limitTurn() }
    return .wait
  }

  /// Calls those who wait, in turn. Who has to wait again goes to the end.
  private func callWaiting() {
    let called = waiting
    waiting = []
    for id in called { participants[id]?.goOn() }
  }

  // MARK: Lines of several writers

  /// Writes whole lines while others wait, else what there is; others wait for the end of a line that has begun.
  private func writeLines(
    _ bytes: UnsafeRawBufferPointer, by id: Roster.ID, _ author: Author
  ) -> Writing {
    let othersWait = waiting.contains { $0 != id }
    let lineEnd = bytes.lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 }
    let part = UnsafeRawBufferPointer(
      rebasing: bytes.prefix(othersWait ? lineEnd ?? bytes.count : bytes.count))
    turn = id
    turnLimit = nil
    session.owner = author
    guard write(part, by: author) else { return wait(id) }
    if lineEnd == part.count { endTurn() } else if othersWait { limitTurn() }
    return .taken(part.count)
  }

  private func limitTurn() {
    guard turnLimit == nil else { return }
    turnLimit = loop.schedule(after: Self.linePatience) { [unowned self] in endTurn() }
  }

  private func endTurn() {
    (turn, turnLimit) = (nil, nil)
    // Not now: a client is writing.
    if !waiting.isEmpty { loop.atEndOfTurn { [weak self] in self?.callWaiting() } }
  }

  // MARK: The session

  package func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    if !waiting.isEmpty { callWaiting() }
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    if !waiting.isEmpty { callWaiting() }
  }

  package func session(_ session: Session, didHandPenFrom old: Author, to new: Author) {
    if !waiting.isEmpty, new == session.owner { callWaiting() }
  }

  // MARK: The user of the session

  package var sharing: Sharing {
    var sharing = Sharing()
    sharing.others = roster.members.filter { $0.id != homeID }.map(Sharing.Person.init)
    sharing.applicants = roster.applicants.compactMap { roster[$0] }.map(Sharing.Person.init)
    sharing.isAsking = roster.applicants.contains(homeID)
    sharing.pen =
      switch roster.rule {
      case .all: .everybodys
      case .none: .nobodys
      case .one:
        if roster.holder == homeID {
          .mine
        } else {
          roster.holder.flatMap { roster[$0] }.map { .others(Sharing.Person($0)) }
            ?? (roster.home == nil ? .mine : .free)
        }
      }
    sharing.addresses = addresses
    return sharing
  }

  package func ask() { ask(homeID) }
  package func give(to id: Sharing.ID) { give(by: homeID, to: id) }
  package func keep() { keep(by: homeID) }
  package func giveBack() { giveBack(by: homeID) }
  package func take() { take(homeID) }
}

extension Sharing.Person {
  init(_ member: Roster.Member) {
    self.init(id: member.id, name: member.name, answers: member.answers)
  }
}

extension Author.Kind {
  /// Somebody who has joined a session.
  package static let client = Author.Kind("client")
}
