package import Telnet

/// Who is at a session, as one of its users sees it: the others, and who has the pen.
package struct Sharing: Hashable, Sendable {
  package typealias ID = SharingMessage.ID

  /// Somebody else at the session.
  package struct Person: Hashable, Sendable {
    package let id: ID
    /// A name that is safe to show.
    package let name: String
    /// Whether it is a person, who can be asked; otherwise it is a program.
    package let answers: Bool

    package init(id: ID, name: String, answers: Bool) {
      (self.id, self.name, self.answers) = (id, name, answers)
    }
  }

  /// Who may write to the device.
  package enum Pen: Hashable, Sendable {
    /// This user.
    case mine
    case others(Person)
    /// Nobody has it: who asks gets it.
    case free
    /// Everybody writes, by whole lines.
    case everybodys
    /// Nobody writes.
    case nobodys
  }

  /// The others.
  package var others: [Person] = []
  package var pen = Pen.mine
  /// Those who have asked this user for the pen.
  package var applicants: [Person] = []
  /// Whether this user has asked for the pen, and waits for an answer.
  package var isAsking = false
  /// Whether this user may take the pen without asking.
  package var mayTake = true
  /// Whether the session belongs to another program, which this user has joined.
  package var isJoined = false
  /// Whether that session has not said yet who has the pen.
  package var isJoining = false
  /// Why the port cannot be used; nil while it is open. Known for a session of another program.
  package var portTrouble: SharingMessage.PortState?
  /// Where clients connect from other computers and programs.
  package var addresses: [String] = []

  package init() {}
}

/// Where a user asks for the pen of a session, and gives it away.
package protocol PenDesk: AnyObject {
  /// Who is there.
  var sharing: Sharing { get }
  /// Asks for the pen, which this user has at once if it is free.
  func ask()
  /// Gives the pen to one of the others.
  func give(to id: Sharing.ID)
  /// Answers those who ask for the pen: this user keeps it.
  func keep()
  /// Gives the pen back: to the first who has asked, to the user who sits at the session, or to nobody.
  func giveBack()
  /// Takes the pen without asking.
  func take()
}
