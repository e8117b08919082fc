package import Telnet

/// Who is at a session, and who may write to its device: the rules, as a value.
///
/// ## Principles of operation
///
/// - At most one member has the pen. It moves when somebody asks and it is free, when its holder gives it or
///   leaves, and when somebody takes it who may.
/// - A pen that is given back goes to the member who has asked for longest, else to the ``home`` member, who sits
///   at the session; else it is free.
/// - A program cannot ask: it takes a free pen when it comes, or writes (``useFreePen(_:)``).
/// - Where everybody may write, or nobody, there is no pen.
package struct Roster: Hashable, Sendable {
  package typealias ID = SharingMessage.ID
  package typealias Handover = SharingMessage.Handover

  /// Somebody at a session: a person, or a program.
  package struct Member: Hashable, Sendable {
    package let id: ID
    /// A name that is safe to show.
    package var name: String
    /// Whether it is a person, who can be asked for the pen.
    package var answers: Bool
    /// Whether it takes a free pen without asking.
    package var takesFreePen: Bool
    /// Whether it may take the pen without asking.
    package var mayTake: Bool

    package init(
      id: ID, name: String, answers: Bool, takesFreePen: Bool = false, mayTake: Bool = false
    ) {
      self.id = id
      self.name = name
      self.answers = answers
      self.takesFreePen = takesFreePen
      self.mayTake = mayTake
    }
  }

  /// Who may write.
  package typealias Rule = SharingMessage.PenRule

  /// What has happened.
  package enum Event: Hashable, Sendable {
    case joined(Member)
    case left(Member)
    /// More is known of a member: a client has said who it is.
    case changed(from: Member, to: Member)
    /// The pen has moved; nil for nobody.
    case moved(from: Member?, to: Member?, Handover)
    /// Somebody asks the holder for the pen.
    case asked(Member)
    /// The holder keeps the pen: the answer to those who have asked.
    case kept(by: Member, from: [Member])
  }

  package let rule: Rule
  /// In the order of coming.
  package private(set) var members: [Member] = []
  /// The member who sits at the session; nil if nobody does.
  package private(set) var home: ID?
  /// Who has the pen.
  package private(set) var holder: ID?
  /// Who has asked for the pen, the first one first.
  package private(set) var applicants: [ID] = []

  package init(_ rule: Rule = .one) { self.rule = rule }

  package subscript(id: ID) -> Member? { members.first { $0.id == id } }

  /// Whether a member may write. With ``SharingMessage/PenRule/all`` it may have to wait for its turn.
  package func mayWrite(_ id: ID) -> Bool {
    switch rule {
    case .one: holder == id
    case .all: true
    case .none: false
    }
  }

  // MARK: Coming and going

  /// Adds a member.
  ///
  /// - Parameter isHome: whether it sits at the session: it has the pen when nobody else has.
  package mutating func join(_ member: Member, isHome: Bool = false) -> [Event] {
    members.append(member)
    guard isHome else { return [.joined(member)] }
    home = member.id
    return [.joined(member)] + (holder == nil ? move(to: member.id, .taken) : [])
  }

  /// Changes what is known of a member: a client says who it is.
  package mutating func update(_ id: ID, _ change: (inout Member) -> Void) {
    guard let index = members.firstIndex(where: { $0.id == id }) else { return }
    change(&members[index])
  }

  /// Removes a member.
  package mutating func leave(_ id: ID) -> [Event] {
    guard let member = self[id] else { return [] }
    let moves = holder == id ? passOn(.inherited) : []
    members.removeAll { $0.id == id }
    applicants.removeAll { $0 == id }
    if home == id { home = nil }
    return moves + [.left(member)]
  }

  // MARK: The pen

  /// A member asks for the pen, and has it at once if it is free.
  package mutating func ask(_ id: ID) -> [Event] {
    guard rule == .one, let member = self[id], holder != id, !applicants.contains(id) else {
      return []
    }
    guard holder != nil else { return move(to: id, .taken) }
    applicants.append(id)
    return [.asked(member)]
  }

  /// A program uses the port: it takes a free pen.
  package mutating func useFreePen(_ id: ID) -> [Event] {
    guard rule == .one, holder == nil, self[id]?.takesFreePen == true else { return [] }
    return move(to: id, .taken)
  }

  /// The holder gives the pen to another member.
  package mutating func give(by id: ID, to other: ID) -> [Event] {
    guard holder == id, other != id, self[other] != nil else { return [] }
    return move(to: other, .given)
  }

  /// The holder keeps the pen: nobody asks any more.
  package mutating func keep(by id: ID) -> [Event] {
    guard holder == id, let member = self[id], !applicants.isEmpty else { return [] }
    let refused = applicants.compactMap { self[$0] }
    applicants = []
    return [.kept(by: member, from: refused)]
  }

  /// The holder gives the pen back.
  package mutating func giveBack(by id: ID) -> [Event] {
    holder == id && (home != id || !applicants.isEmpty) ? passOn(.given) : []
  }

  /// A member takes the pen without asking, if it may.
  package mutating func take(_ id: ID) -> [Event] {
    guard rule == .one, self[id]?.mayTake == true, holder != id else { return [] }
    return move(to: id, holder == nil ? .taken : .forced)
  }

  /// Passes the pen on to the member who waits for it.
  private mutating func passOn(_ handover: Handover) -> [Event] {
    let next = applicants.first ?? (home == holder ? nil : home)
    return move(to: next, handover)
  }

  private mutating func move(to id: ID?, _ handover: Handover) -> [Event] {
    let old = holder.flatMap { self[$0] }
    holder = rule == .one ? id : nil
    applicants.removeAll { $0 == id }
    let new = holder.flatMap { self[$0] }
    return old == new ? [] : [.moved(from: old, to: new, handover)]
  }
}
