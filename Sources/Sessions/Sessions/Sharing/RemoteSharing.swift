import NetworkLinks
package import Telnet
import TextTools

/// A user's view of a session in another program: its members and the holder of the pen, as that program reports
/// them.
package final class RemoteSharing: PenControl {
  /// Called when ``sharing`` has changed.
  var onChange: () -> Void = {}
  /// Called with news for the user.
  var onNews: (News) -> Void = { _ in }

  /// News for the user of another program's session.
  package enum News {
    /// The user has joined.
    case joined
    /// Another member has joined.
    case came(Sharing.Person)
    /// Another member has left.
    case left(Sharing.Person)
    /// The pen has moved: from this user, to this user, or between others.
    case penMoved(from: Sharing.Pen, to: Sharing.Pen, SharingMessage.Handover)
    /// Another member asks this user for the pen.
    case asked(Sharing.Person)
    /// The holder of the pen keeps it.
    case kept
    /// Bytes that were received before the user joined. The time is in nanoseconds since 1970-01-01 UTC.
    case history([UInt8], time: UInt64)
    /// This number of bytes was skipped.
    case missed(Int)
    /// The port's state has changed.
    case port(SharingMessage.PortState, name: String)
    /// The session has ended, for this reason.
    case ended(String)
  }

  package private(set) var sharing = Sharing()
  /// The reason why the session has ended; nil if it gave none.
  package private(set) var endReason: String?

  /// Whether the user takes the pen immediately after joining, without asking.
  package var takesPenAtOnce = false {
    didSet { if takesPenAtOnce, hasJoined { take() } }
  }

  private weak var link: NetworkLink?
  private var id: Sharing.ID?
  private var rule = SharingMessage.PenRule.one
  private var hasJoined = false
  /// The number of bytes of the history that are still accepted.
  private var historyRoom = ReceivedHistory.capacity

  /// - Parameter isJoined: whether the user has joined a session, rather than opened a port.
  init(of link: NetworkLink, isJoined: Bool) {
    self.link = link
    (sharing.isJoined, sharing.isJoining) = (isJoined, isJoined)
    if isJoined { sharing.pen = .free }
    link.onShared = { [unowned self] in take($0) }
  }

  /// Whether the other end shares its port. Only a serialterm does.
  package var isShared: Bool { id != nil || sharing.isJoined }

  private func person(_ id: Sharing.ID) -> Sharing.Person? { sharing.others.first { $0.id == id } }

  private func take(_ message: SharingMessage) {
    switch message {
    case .welcome(let id, let mayTake, let rule):
      self.id = id
      self.rule = rule
      sharing.mayTake = mayTake
    case .member(let id, let name, let answers): meet(id, name.harmless, answers)
    case .left(let id):
      guard let person = person(id) else { return }
      sharing.others.removeAll { $0.id == id }
      sharing.applicants.removeAll { $0.id == id }
      onNews(.left(person))
    case .pen(let holder, let handover): penMoved(to: holder, handover)
    case .asks(let id):
      guard let person = person(id), !sharing.applicants.contains(person) else { return }
      sharing.applicants.append(person)
      onNews(.asked(person))
    case .kept:
      sharing.isAsking = false
      onNews(.kept)
    case .history(let time, let bytes):
      // A server sends what the session keeps, and nothing else waits for room on the screen.
      guard bytes.count <= historyRoom else { return }
      historyRoom -= bytes.count
      return onNews(.history(bytes, time: time))
    case .missed(let count): return onNews(.missed(Int(count)))
    case .port(let state, let name):
      sharing.portTrouble = state == .open ? nil : state
      if hasJoined { onNews(.port(state, name: name.harmless)) }
      if !hasJoined {
        hasJoined = true
        sharing.isJoining = false
        if takesPenAtOnce { take() }
        onNews(.joined)
      }
    case .ended(let reason):
      endReason = reason.harmless
      onNews(.ended(reason.harmless))
    case .hello, .ask, .give, .keep, .take, .giveBack: return
    }
    onChange()
  }

  private func meet(_ id: Sharing.ID, _ name: String, _ answers: Bool) {
    guard id != self.id else { return }
    let person = Sharing.Person(id: id, name: name, answers: answers)
    if let index = sharing.others.firstIndex(where: { $0.id == id }) {
      sharing.others[index] = person
      if case .others(let holder) = sharing.pen, holder.id == id { sharing.pen = .others(person) }
    } else if sharing.others.count < Self.mostOthers {
      sharing.others.append(person)
      if hasJoined { onNews(.came(person)) }
    }
  }

  /// The maximum number of other members, so that a faulty server cannot make the list grow forever.
  private static let mostOthers = 1_024

  private func penMoved(to holder: Sharing.ID, _ handover: SharingMessage.Handover) {
    let old = sharing.pen
    sharing.pen =
      switch rule {
      case .all: .everybodys
      case .none: .nobodys
      case .one: holder == id ? .mine : person(holder).map { .others($0) } ?? .free
      }
    if sharing.pen == .mine { sharing.isAsking = false } else { sharing.applicants = [] }
    if hasJoined { onNews(.penMoved(from: old, to: sharing.pen, handover)) }
  }

  // MARK: The user

  package func ask() {
    sharing.isAsking = true
    link?.say(.ask)
    onChange()
  }

  package func give(to id: Sharing.ID) { link?.say(.give(id)) }

  package func keep() {
    sharing.applicants = []
    link?.say(.keep)
    onChange()
  }

  package func giveBack() { link?.say(.giveBack) }

  package func take() { link?.say(.take) }
}
