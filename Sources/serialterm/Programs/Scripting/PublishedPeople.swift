import SerialCore
import Sessions
import Telnet
import TextTools

/// The members of a session and its pen, as a program sees them.
struct PublishedPeople: Hashable {
  private let you: Sharing.ID?
  private let pen: String
  private let holder: Sharing.ID?
  private let others: [Sharing.Person]
  private let applicants: [Sharing.Applicant]
  private let isAsking: Bool
  private let mayTake: Bool

  /// The members; nil while the session that the program joins has not reported them.
  init?(_ sharing: Sharing) {
    guard !sharing.isJoining else { return nil }
    you = sharing.memberID ?? (sharing.isJoined ? nil : SharingMessage.home)
    (pen, holder) =
      switch sharing.pen {
      case .mine: ("mine", you)
      case .others(let person): ("other", person.id)
      case .free: ("free", nil)
      case .everyone: ("everyone", nil)
      case .nobody: ("nobody", nil)
      }
    others = sharing.others
    applicants = sharing.applicants
    isAsking = sharing.isAsking
    mayTake = sharing.mayTake
  }

  /// The members of the event.
  var members: [(String, JSON)] {
    [
      ("you", Self.json(you)), ("pen", .string(pen)), ("holder", Self.json(holder)),
      ("others", .array(others.map { json($0) })), ("asking", .bool(isAsking)),
      ("may-take", .bool(mayTake)),
    ]
  }

  private func json(_ person: Sharing.Person) -> JSON {
    let applicant = applicants.first { $0.person.id == person.id }
    var members: [(String, JSON)] = [
      ("id", Self.json(person.id)), ("name", .string(person.name)),
      ("program", .bool(!person.answers)), ("asks", .bool(applicant != nil)),
    ]
    if let text = applicant?.text { members.append(("text", .string(text))) }
    return .object(members)
  }

  private static func json(_ id: Sharing.ID?) -> JSON { id.map { .integer(Int($0)) } ?? .null }
}
