package import Telnet

/// The members of a session and its pen, as one of the users sees them.
package struct Sharing: Hashable, Sendable {
  package typealias ID = SharingMessage.ID

  /// Another member of the session.
  package struct Person: Hashable, Sendable {
    package let id: ID
    /// The name, which is safe to show.
    package let name: String
    /// Whether the member is a person, who can be asked; otherwise it is a program.
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
    /// Nobody has it: a member who asks gets it.
    case free
    /// Everybody may write, in whole lines.
    case everyone
    /// Nobody may write.
    case nobody
  }

  /// A member who has asked for the pen.
  package struct Applicant: Hashable, Sendable {
    package var person: Person
    /// What it asks to write, as it says, safe to show; nil if it asks to keep the pen.
    package var text: String?

    package init(person: Person, text: String?) { (self.person, self.text) = (person, text) }
  }

  /// Why the port cannot be used, in the words of its owner.
  package struct Refusal: Hashable, Sendable {
    /// The code for programs.
    package let code: String
    /// The reason as text, safe to show.
    package let text: String

    package init(code: String, text: String) { (self.code, self.text) = (code, text) }

    /// The log of a session is not for its members.
    package static let logNotShared = Refusal(
      code: "log-not-shared", text: "the session's log is not shared")

    /// What members are refused until the owner says something else.
    static let initial = [SharingMessage.Subject.sharedLog: logNotShared]
  }

  /// This user's own name, as the others see it; nil if it is not known.
  package var ownName: String?
  /// The other members.
  package var others: [Person] = []
  package var pen = Pen.mine
  /// The members who have asked this user for the pen.
  package var applicants: [Applicant] = []
  /// Whether this user has asked for the pen, and waits for an answer.
  package var isAsking = false
  /// Whether this user may take the pen without asking.
  package var mayTake = true
  /// Whether the session belongs to another program, which this user has joined.
  package var isJoined = false
  /// This user's number in the session at the far end; nil if the far end is not a session, or has
  /// not reported it.
  package var memberID: ID?
  /// Whether that session has not reported yet who has the pen.
  package var isJoining = false
  /// Why the port cannot be used; nil while it is open. Only known for another program's session.
  package var portTrouble: SharingMessage.PortState?
  /// Why this user cannot use the port of another program's session, as its owner says.
  package var refusals: [SharingMessage.Subject: Refusal] = [:]
  /// The addresses at which other computers and programs connect.
  package var addresses: [String] = []

  package init() {}

  /// Whether a member has asked this user for the pen.
  package func isAsked(by person: Person) -> Bool { applicants.contains { $0.person == person } }
}

/// The operations by which a user asks for the pen of a session, and gives it away.
package protocol PenControl: AnyObject {
  /// The members and the pen.
  var sharing: Sharing { get }
  /// Asks for the pen. This user gets it immediately if it is free.
  func ask()
  /// Gives the pen to another member.
  func give(to id: Sharing.ID)
  /// Keeps the pen, and refuses all requests for it.
  func keep()
  /// Gives the pen back: to the member who asked first, otherwise to the local user of the session,
  /// otherwise to nobody.
  func returnPen()
  /// Takes the pen without asking.
  func takePen()
}
