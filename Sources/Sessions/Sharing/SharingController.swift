import EventLoop
package import Observing
package import Scrollback
import SerialCore
package import Telnet
import Time

/// A member that has joined a session through a connection.
package protocol Participant: AnyObject {
  /// The session may take its bytes now.
  func resumeWriting()
  /// The member may not write any more: what it has switched on ends, such as a break. Called
  /// before another member can write.
  func revoke()
  /// The members, or the holder of the pen, have changed.
  func rosterDidChange(_ event: Roster.Event)
  /// ``SharingController/refusals`` have changed.
  func refusalsDidChange()
  /// The session ends, for this reason.
  func end(because reason: String)
}

extension Participant {
  /// Does nothing.
  package func refusalsDidChange() {}
}

/// Lets several people and programs share a session: manages the members, decides whose bytes go to
/// the device, and keeps the history for later members.
///
/// The local user of the session is a member like the others. ``Roster`` contains
/// the rules; this object applies them: the member with the pen is the owner of
/// the session (``SerialCore/Session/owner``).
package final class SharingController: PenControl {
  /// The events of the members. Each one is announced when it is in effect,
  /// before ``sharing`` changes.
  package let events = Observable<Roster.Event>()
  /// The members and the pen, as the local user sees them.
  @Observed package private(set) var sharing = Sharing()

  private unowned let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let loop: IOLoop
  package private(set) lazy var roster = firstRoster()
  private var hasRoster = false
  private var rule = Roster.Rule.one
  /// The local user; nil if there is none.
  private var home: Home?
  /// Whether nobody may write: neither bytes, breaks, line settings nor modem lines. The local user
  /// and the user's scripts are refused by the front end.
  package var isReadOnly = false {
    didSet { if hasRoster { apply(roster.setReadOnly(isReadOnly)) } }
  }
  /// Why the members cannot use the port, in the words of the program. Changes are sent to the
  /// members at once.
  package var refusals = Sharing.Refusal.initial {
    didSet {
      guard refusals != oldValue else { return }
      for participant in Array(participants.values) { participant.refusalsDidChange() }
    }
  }
  /// How long the device may wait for the clients together.
  var holdBudget = HoldBudget()
  /// The scrollback that keeps the bytes that the device sent most recently; nil if this
  /// object keeps them.
  package var scrollback: Scrollback? {
    didSet { record() }
  }
  /// The bytes that the device sent most recently, if this object keeps them.
  private var ring = ReceivedHistory()
  private var recording: Hub.Subscription?
  /// The screen of the device, for members who come later.
  package let screen = DeviceScreen()
  private var drawing: Hub.Subscription?
  private unowned let hub: Hub
  private var participants: [Roster.ID: any Participant] = [:]
  private var authors: [Roster.ID: Author] = [:]
  /// The authors that members were before they changed their names, while bytes of them wait.
  private var formerAuthors: [Roster.ID: Set<Author>] = [:]
  private var lastID: Roster.ID = 0
  /// The members whose bytes wait to be taken, in the order of their requests.
  private var waiting: [Roster.ID] = []
  /// The member who has begun a line, where everyone may write.
  private var turn: Roster.ID?
  private var turnLimit: LoopTimer?
  /// The addresses at which clients connect; see ``Sharing/addresses``.
  package var addresses: [String] = [] {
    didSet { updateSharing() }
  }

  /// The author that owns the session while nobody may write.
  private static let nobody = Author(Author.Kind("nobody"), "nobody")

  /// The local user or program.
  private struct Home {
    /// Returns the name. Looking up an account takes a noticeable part of the start, so it is
    /// called when the name is needed.
    let name: () -> MemberName
    /// Whether it is a person, who can be asked for the pen.
    let answers: Bool
  }

  /// The time that others wait for the end of a line that has begun.
  static let linePatience = Duration.seconds(5)

  init(of session: Session, _ hub: Hub, on loop: IOLoop) {
    self.session = session
    self.hub = hub
    self.loop = loop
    record()
    drawing = hub.subscribe(as: .view) { [screen] in
      screen.receive($0, at: $1.monotonic)
    }
    observations = [
      session.observe(.sent) { [unowned self] _ in driverTookBytes() },
      session.observe(.stateChange) { [unowned self] _ in callWaitingIfAny() },
      session.observe(.penChange) { [unowned self, unowned session] in
        if $0.new == session.owner { callWaitingIfAny() }
      },
    ]
  }

  /// Writes bytes of the local user, where everyone may write. They may wait for the end of
  /// another member's line.
  ///
  /// - Returns: whether all bytes were accepted. If too many wait, none are.
  package func writeInTurn(_ bytes: UnsafeRawBufferPointer) -> Bool {
    homeInput?.write(bytes) ?? false
  }

  /// The local user's bytes that wait for their turn.
  private var homeInput: HomeInput?

  private func record() {
    ring = ReceivedHistory()
    recording =
      scrollback != nil
      ? nil
      : hub.subscribe(as: .log) { [unowned self] in ring.add($0, at: $1.wallClock) }
  }

  /// What a person who joins gets of what the device sent before.
  var past: [SharingMessage] { screen.messages(with: scrollback?.lastPieces ?? ring.all) }

  /// Sets who may write, and the local user. Call it before any member joins.
  ///
  /// - Parameter name: returns the name of the local user or program. It is called only when the
  ///   name is needed, because looking up an account takes a noticeable part of the start. Nil if
  ///   there is no local user.
  package func begin(_ rule: Roster.Rule, home name: (() -> MemberName)?, answers: Bool) {
    self.rule = rule
    home = name.map { Home(name: $0, answers: answers) }
    guard home != nil else { return }
    authors[homeID] = session.owner
    guard rule == .all else { return }
    let input = HomeInput(of: self, homeID)
    homeInput = input
    participants[homeID] = input
  }

  /// Whether any client has joined.
  package var isShared: Bool { participants.contains { $0.key != homeID } }

  private var homeID: Roster.ID { SharingMessage.home }

  private func firstRoster() -> Roster {
    hasRoster = true
    var roster = Roster(rule)
    if let home {
      let member = Roster.Member(
        id: homeID, name: home.name(), answers: home.answers, mayTake: true)
      _ = roster.join(member, isHome: true)
    }
    _ = roster.setReadOnly(isReadOnly)
    return roster
  }

  // MARK: Joining and leaving

  /// Adds a client, which gets a number.
  package func join(_ participant: any Participant, as member: (Roster.ID) -> Roster.Member)
    -> Roster.ID
  {
    lastID += 1
    var member = member(lastID)
    member.memberName = distinctName(member.memberName, of: lastID)
    participants[lastID] = participant
    authors[lastID] = member.memberName.author
    if participants.count == 1, roster.holder == nil, roster.home == nil {
      session.owner = Self.nobody
    }
    apply(roster.join(member))
    return member.id
  }

  /// Changes the details of a member: a client identifies itself, or a member changes its name. The
  /// pen, requests for it and queued bytes stay.
  package func update(_ id: Roster.ID, _ change: (inout Roster.Member) -> Void) {
    guard let old = roster[id] else { return }
    var member = old
    change(&member)
    member.memberName = distinctName(member.memberName, of: id)
    guard member != old else { return }
    roster.update(id) { $0 = member }
    // The local user is the same author under every name.
    if id != homeID { setAuthor(of: id, member.memberName.author) }
    if roster.holder == id { updateOwner() }
    notifyMembers(.changed(from: old, to: member))
  }

  private func setAuthor(of id: Roster.ID, _ author: Author) {
    var former = formerAuthors[id] ?? []
    if let old = authors[id] { former.insert(old) }
    former.remove(author)
    formerAuthors[id] = former.filter { session.queuedByteCount(by: $0) > 0 }
    authors[id] = author
  }

  /// The authors of a member's bytes: the present one, and those under former names.
  private func allAuthors(of id: Roster.ID) -> Set<Author> {
    (formerAuthors[id] ?? []).union(authors[id].map { [$0] } ?? [])
  }

  /// A name that no other member has, nor a former one whose bytes are not sent yet: names tell the
  /// authors of bytes apart.
  private func distinctName(_ name: MemberName, of id: Roster.ID) -> MemberName {
    let own = allAuthors(of: id)
    func isTaken(_ name: MemberName) -> Bool {
      let author = name.author
      return roster.members.contains { $0.id != id && $0.name == name.text }
        || (!own.contains(author) && session.queuedByteCount(by: author) > 0)
    }
    var name = name
    name.number = nil
    guard isTaken(name) else { return name }
    // One of them is free: there are fewer members.
    for number in 2...1_000 {
      name.number = number
      if !isTaken(name) { return name }
    }
    name.number = Int(id)
    return name
  }

  /// Removes a client.
  package func leave(_ id: Roster.ID) {
    participants[id] = nil
    waiting.removeAll { $0 == id }
    if turn == id { endTurn() }
    apply(roster.leave(id))
    (authors[id], formerAuthors[id]) = (nil, nil)
  }

  /// Tells all members that the session ends.
  package func end(because reason: String) {
    for participant in Array(participants.values) { participant.end(because: reason) }
  }

  private func apply(_ events: [Roster.Event]) {
    var hasMoved = false
    for event in events {
      switch event {
      case .moved(let old, _, _):
        hasMoved = true
        if let old { participants[old.id]?.revoke() }
        updateOwner()
      case .ruled(let rule):
        hasMoved = true
        if rule == .none { for participant in Array(participants.values) { participant.revoke() } }
        updateOwner()
      case .joined, .left, .changed, .asked, .kept: break
      }
      notifyMembers(event)
    }
    if hasMoved { callWaiting() }
  }

  private func notifyMembers(_ event: Roster.Event) {
    for participant in Array(participants.values) { participant.rosterDidChange(event) }
    events.notify(event)
    updateSharing()
  }

  private func updateOwner() {
    guard roster.rule == .one else { return }
    session.owner = roster.holder.flatMap { authors[$0] } ?? Self.nobody
  }

  // MARK: Clients

  package func member(_ id: Roster.ID) -> Roster.Member? { roster[id] }

  package func ask(_ id: Roster.ID, toWrite text: String? = nil) {
    apply(roster.ask(id, toWrite: text))
  }
  package func takePen(_ id: Roster.ID) { apply(roster.takePen(id)) }
  package func keep(by id: Roster.ID) { apply(roster.keep(by: id)) }
  package func returnPen(by id: Roster.ID) { apply(roster.returnPen(by: id)) }
  package func give(by id: Roster.ID, to other: Roster.ID) { apply(roster.give(by: id, to: other)) }

  /// Handles the end of a client's stream: it sends nothing more, but stays for the answer.
  func endStream(of id: Roster.ID) {
    if turn == id { endTurn() }
    returnPen(by: id)
  }

  /// Gives the pen to a program that is ready to use the port, if the pen is free.
  package func useFreePen(_ id: Roster.ID) { apply(roster.useFreePen(id)) }

  /// Whether a client may change the line settings and modem lines, and send breaks.
  package func maySetLine(_ id: Roster.ID) -> Bool {
    useFreePen(id)
    return roster.mayWrite(id) && session.writer == session.owner
  }

  /// Whether the device waits for a client that takes nothing. It waits only for a client that may
  /// write, never for a viewer.
  func mayHoldDevice(_ id: Roster.ID) -> Bool {
    switch roster.rule {
    case .one: roster.holder == id
    case .all, .none: roster.members.count == 1
    }
  }

  /// Discards what a client has written and the device has not got. The bytes of others stay.
  ///
  /// - Returns: the number of bytes that were discarded.
  func discardUnsent(by id: Roster.ID) -> Int {
    session.discardUnsent(by: allAuthors(of: id))
  }

  /// The number of bytes that a client has written and the device has not got. Those that the
  /// driver has taken may be of others.
  func unsentByteCount(by id: Roster.ID) -> Int {
    let inDriver = session.unsentByteCount - session.queuedByteCount
    return inDriver + queuedByteCount(by: id)
  }

  /// The number of bytes that a client has written and the driver has not taken.
  func queuedByteCount(by id: Roster.ID) -> Int {
    allAuthors(of: id).reduce(0) { $0 + session.queuedByteCount(by: $1) }
  }

  /// Discards the local user's bytes that wait for the end of another member's line.
  ///
  /// - Returns: the number of bytes that were discarded.
  func discardWaiting() -> Int { homeInput?.discard() ?? 0 }

  /// Whether there are other members, who would wait too.
  func hasOthers(than id: Roster.ID) -> Bool { roster.members.contains { $0.id != id } }

  /// The result of writing bytes of a client.
  package enum Writing: Hashable {
    /// This number of bytes at the front was queued.
    case queued(Int)
    /// No bytes were queued. ``Participant/resumeWriting()`` is called when the client can
    /// try again.
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
    return write(part, by: author) ? .queued(part.count) : wait(id)
  }

  private func write(_ bytes: UnsafeRawBufferPointer, by author: Author) -> Bool {
    (try? session.write(bytes.bytes, by: author)) != nil
  }

  private func wait(_ id: Roster.ID) -> Writing {
    if !waiting.contains(id) { waiting.append(id) }
    if turn != nil { limitTurn() }
    return .wait
  }

  /// Calls the waiting members in turn. A member that must wait again goes to the end of the queue.
  private func callWaiting() {
    let called = waiting
    waiting = []
    for id in called { participants[id]?.resumeWriting() }
  }

  // MARK: Lines of several writers

  /// Writes only whole lines while other members wait; otherwise all bytes. A begun line makes
  /// the others wait.
  private func writeLines(
    _ bytes: UnsafeRawBufferPointer, by id: Roster.ID, _ author: Author
  ) -> Writing {
    let othersWait = waiting.contains { $0 != id }
    let lineEnd = bytes.lastIndex { "\r\n".utf8.contains($0) }.map { $0 + 1 }
    let part = UnsafeRawBufferPointer(
      rebasing: bytes.prefix(othersWait ? lineEnd ?? bytes.count : bytes.count))
    turn = id
    turnLimit = nil
    session.owner = author
    guard write(part, by: author) else { return wait(id) }
    if lineEnd == part.count { endTurn() } else if othersWait { limitTurn() }
    return .queued(part.count)
  }

  private func limitTurn() {
    guard turnLimit == nil else { return }
    turnLimit = loop.schedule(after: Self.linePatience) { [unowned self] in endTurn() }
  }

  private func endTurn() {
    (turn, turnLimit) = (nil, nil)
    // Deferred, because a client is writing now.
    if !waiting.isEmpty { loop.atEndOfTurn { [weak self] in self?.callWaiting() } }
  }

  // MARK: The session

  private func callWaitingIfAny() { if !waiting.isEmpty { callWaiting() } }

  private func driverTookBytes() {
    guard !waiting.isEmpty else { return }
    callWaiting()
    // During the event, what was taken still has its place in the queue. If the driver has taken
    // all of a full queue, no other event follows.
    guard !waiting.isEmpty, session.queuedByteCount == 0 else { return }
    loop.atEndOfTurn { [weak self] in self?.callWaitingIfAny() }
  }

  // MARK: The local user

  private func updateSharing() {
    var sharing = Sharing()
    sharing.ownName = roster[homeID]?.name
    sharing.others = roster.members.filter { $0.id != homeID }.map(Sharing.Person.init)
    sharing.applicants = roster.applicants.compactMap { applicant in
      roster[applicant.id].map { Sharing.Applicant(person: .init($0), text: applicant.text) }
    }
    sharing.isAsking = roster.applicants.contains { $0.id == homeID }
    sharing.pen =
      switch roster.rule {
      case .all: .everyone
      // Read-only is about the others too. What this user may not do is decided by the front end.
      case .none: roster.isReadOnly ? .mine : .nobody
      case .one:
        if roster.holder == homeID {
          .mine
        } else {
          roster.holder.flatMap { roster[$0] }.map { .others(Sharing.Person($0)) }
            ?? (roster.home == nil ? .mine : .free)
        }
      }
    sharing.addresses = addresses
    self.sharing = sharing
  }

  /// Changes the name of the local user; empty for the name at the beginning.
  func rename(_ name: String) {
    guard let home else { return }
    update(homeID) {
      $0.memberName = name.isEmpty ? home.name() : $0.memberName.renamed(name)
    }
  }

  package func ask() { ask(homeID) }
  package func give(to id: Sharing.ID) { give(by: homeID, to: id) }
  package func keep() { keep(by: homeID) }
  package func returnPen() { returnPen(by: homeID) }
  package func takePen() { takePen(homeID) }
}

extension Sharing.Person {
  init(_ member: Roster.Member) {
    self.init(id: member.id, name: member.name, answers: member.answers)
  }
}
