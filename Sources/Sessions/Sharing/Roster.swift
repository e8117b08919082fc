package import Telnet

/// The members of a session, and the rules of who may write to its device. A value.
///
/// ## Principles of operation
///
/// - At most one member has the pen. It moves when a member asks and it is free, when its holder
///   gives it away or leaves, and when a member with the right to do so takes it.
/// - A pen that is given back goes to the member who has asked first; otherwise to the ``home``
///   member, the local user of the session; otherwise it is free.
/// - A member may ask to write something. Then only a holder who gives the pen answers.
/// - A program cannot ask. It takes a free pen when it joins or writes (``useFreePen(_:)``).
/// - Where everyone or nobody may write, there is no pen. While the session is read-only, nobody
///   may write; the pen stays with its holder for the time after it.
package struct Roster: Hashable, Sendable {
  package typealias ID = SharingMessage.ID
  package typealias Handover = SharingMessage.Handover

  /// A member of a session: a person or a program.
  package struct Member: Hashable, Sendable {
    package let id: ID
    package var memberName: MemberName
    /// Whether the member is a person, who can be asked for the pen.
    package var answers: Bool
    /// Whether it takes a free pen without asking.
    package var takesFreePen: Bool
    /// Whether it may take the pen without asking.
    package var mayTake: Bool

    package init(
      id: ID, name: MemberName, answers: Bool, takesFreePen: Bool = false, mayTake: Bool = false
    ) {
      self.id = id
      memberName = name
      self.answers = answers
      self.takesFreePen = takesFreePen
      self.mayTake = mayTake
    }

    /// The name, which is safe to show.
    package var name: String { memberName.text }
  }

  /// Who may write.
  package typealias Rule = SharingMessage.PenRule

  /// A change among the members.
  package enum Event: Hashable, Sendable {
    case joined(Member)
    case left(Member)
    /// A member's details have changed: the client has identified itself.
    case changed(from: Member, to: Member)
    /// The pen has moved; nil stands for nobody.
    case moved(from: Member?, to: Member?, Handover)
    /// A member asks the holder for the pen, to write this; nil to keep it.
    case asked(Member, toWrite: String?)
    /// The holder keeps the pen. This answers the members who have asked.
    case kept(by: Member, from: [Member])
    /// Who may write has changed: the session has become read-only, or is so no longer.
    case ruled(Rule)
  }

  /// Who may write while the session is not read-only.
  private let writers: Rule
  /// Whether nobody may write, whatever the rule is otherwise.
  package private(set) var isReadOnly = false
  /// Who may write now.
  package var rule: Rule { isReadOnly ? .none : writers }
  /// The members, in the order of joining.
  package private(set) var members: [Member] = []
  /// The local user of the session; nil if there is none.
  package private(set) var home: ID?
  /// The member with the pen; nil for nobody.
  package var holder: ID? { rule == .one ? keptPen : nil }
  /// The member who has the pen, or gets it again when the session is not read-only any more.
  private var keptPen: ID?
  /// The members who have asked for the pen, the first one first.
  package private(set) var applicants: [Applicant] = []

  /// A member who has asked for the pen.
  package struct Applicant: Hashable, Sendable {
    package let id: ID
    /// What the member asks to write, as it says, safe to show; nil if it asks to keep the pen.
    package var text: String?
  }

  package init(_ rule: Rule = .one) { writers = rule }

  package subscript(id: ID) -> Member? { members.first { $0.id == id } }

  /// Whether a member may write. With ``SharingMessage/PenRule/all`` it may have to wait
  /// for its turn.
  package func mayWrite(_ id: ID) -> Bool {
    switch rule {
    case .one: holder == id
    case .all: true
    case .none: false
    }
  }

  /// Sets whether the session is read-only. The members who have asked for the pen must ask again.
  package mutating func setReadOnly(_ isReadOnly: Bool) -> [Event] {
    guard isReadOnly != self.isReadOnly else { return [] }
    let old = rule
    self.isReadOnly = isReadOnly
    applicants = []
    return rule == old ? [] : [.ruled(rule)]
  }

  // MARK: Joining and leaving

  /// Adds a member.
  ///
  /// - Parameter isHome: whether it is the local user, who has the pen when nobody else has it.
  package mutating func join(_ member: Member, isHome: Bool = false) -> [Event] {
    members.append(member)
    guard isHome else { return [.joined(member)] }
    home = member.id
    return [.joined(member)] + (keptPen == nil ? move(to: member.id, .taken) : [])
  }

  /// Changes the details of a member: a client identifies itself.
  package mutating func update(_ id: ID, _ change: (inout Member) -> Void) {
    guard let index = members.firstIndex(where: { $0.id == id }) else { return }
    change(&members[index])
  }

  /// Removes a member.
  package mutating func leave(_ id: ID) -> [Event] {
    guard let member = self[id] else { return [] }
    let moves = keptPen == id ? passOn(.inherited) : []
    members.removeAll { $0.id == id }
    applicants.removeAll { $0.id == id }
    if home == id { home = nil }
    return moves + [.left(member)]
  }

  // MARK: The pen

  /// Asks for the pen. The member gets it immediately if it is free, unless it asks to write
  /// something: then somebody must give it.
  ///
  /// - Parameter text: what the member will write, safe to show. Another text than before asks
  ///   again.
  package mutating func ask(_ id: ID, toWrite text: String? = nil) -> [Event] {
    let applicant = Applicant(id: id, text: text)
    guard rule == .one, let member = self[id], holder != id, !applicants.contains(applicant) else {
      return []
    }
    guard holder != nil else { return text == nil ? move(to: id, .taken) : [] }
    if let index = applicants.firstIndex(where: { $0.id == id }) {
      applicants[index] = applicant
    } else {
      applicants.append(applicant)
    }
    return [.asked(member, toWrite: text)]
  }

  /// Takes the pen for a program that uses the port, if the pen is free.
  package mutating func useFreePen(_ id: ID) -> [Event] {
    guard rule == .one, holder == nil, self[id]?.takesFreePen == true else { return [] }
    return move(to: id, .taken)
  }

  /// Gives the pen to another member.
  package mutating func give(by id: ID, to other: ID) -> [Event] {
    guard holder == id, other != id, self[other] != nil else { return [] }
    return move(to: other, .given)
  }

  /// Keeps the pen: all requests are refused.
  package mutating func keep(by id: ID) -> [Event] {
    guard holder == id, let member = self[id], !applicants.isEmpty else { return [] }
    let refused = applicants.compactMap { self[$0.id] }
    applicants = []
    return [.kept(by: member, from: refused)]
  }

  /// Gives the pen back.
  package mutating func returnPen(by id: ID) -> [Event] {
    holder == id && (home != id || firstKeeper != nil) ? passOn(.given) : []
  }

  /// Takes the pen without asking, if the member may do that.
  package mutating func takePen(_ id: ID) -> [Event] {
    guard rule == .one, self[id]?.mayTake == true, holder != id else { return [] }
    return move(to: id, holder == nil ? .taken : .forced)
  }

  /// Passes the pen on to the member who gets it next.
  private mutating func passOn(_ handover: Handover) -> [Event] {
    move(to: firstKeeper ?? (home == keptPen ? nil : home), handover)
  }

  /// The first member who has asked to keep the pen.
  private var firstKeeper: ID? { applicants.first { $0.text == nil }?.id }

  private mutating func move(to id: ID?, _ handover: Handover) -> [Event] {
    let old = holder.flatMap { self[$0] }
    keptPen = writers == .one ? id : nil
    applicants.removeAll { $0.id == id }
    let new = holder.flatMap { self[$0] }
    return old == new ? [] : [.moved(from: old, to: new, handover)]
  }
}
