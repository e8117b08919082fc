import NetworkLinks
import Observing
import SystemPackage
package import Telnet
import TextTools

/// A user's view of a session in another program: its members and the holder of the pen, as that
/// program reports them.
package final class RemoteSharing: PenControl {
  /// The members and the pen, as the other program reports them.
  @Observed package private(set) var sharing = Sharing()
  /// News for the user. ``sharing`` has changed before.
  private let news: Observable<News>

  /// News for the user of another program's session.
  package enum News {
    /// The user has joined.
    case userJoined
    /// Another member has joined.
    case joined(Sharing.Person)
    /// Another member has another name.
    case renamed(Sharing.Person, from: String)
    /// This user has another name.
    case ownNameChanged(to: String)
    /// Another member has left.
    case left(Sharing.Person)
    /// The pen has moved: from this user, to this user, or between others.
    case penMoved(from: Sharing.Pen, to: Sharing.Pen, SharingMessage.Handover)
    /// Another member asks this user for the pen.
    case asked(Sharing.Applicant)
    /// The holder of the pen keeps it.
    case kept
    /// Bytes that were received before the user joined. The time is in nanoseconds
    /// since 1970-01-01 UTC. `isOnScreen`: whether ``screen`` has what they draw.
    case history([UInt8], time: UInt64, isOnScreen: Bool)
    /// What shows the screen that a program has drawn before the user joined: text and sequences in
    /// UTF-8. The history that it comes from follows.
    case screen([UInt8])
    /// This number of bytes was skipped.
    case missed(Int)
    /// The port's state has changed.
    case port(SharingMessage.PortState, name: String)
    /// The session has ended, for this reason.
    case ended(String)
  }

  /// The reason why the session has ended; nil if it gave none.
  package private(set) var endReason: String?

  /// The name of the far port, which is safe to show; nil before it is known.
  package private(set) var portName: String?

  /// Whether the user takes the pen immediately after joining, without asking.
  package var takesPenAtOnce = false {
    didSet { if takesPenAtOnce, hasJoined { takePen() } }
  }

  /// Whether the user only reads. The user then gives the pen back whenever it comes: a server
  /// gives it to a client that opens its free port, and a member may give it to anybody.
  var isReadOnly = false {
    didSet { returnPenIfReadOnly() }
  }

  private weak var link: NetworkLink?
  private var messages: ObservationToken<SharingMessage>?
  private var rule = SharingMessage.PenRule.one
  private var hasJoined = false
  /// The last question of ``askWhenSent()``, until it is answered.
  private var question: UInt32?
  private var lastQuestion: UInt32 = 0
  /// The number of bytes of the history that are still accepted.
  private var historyRoom = ReceivedHistory.capacity
  /// What has come of the screen that a program has drawn.
  private var screen: [UInt8] = []
  /// Whether the history that comes belongs to the screen.
  private var isOnScreen = false
  /// The piece of the session's log that comes.
  private let log = FarLogPiece()

  /// - Parameters:
  ///   - isJoined: whether the user has joined a session, rather than opened a port.
  ///   - news: the list of those who observe the news. It outlives this object, because each new
  ///     link has its own.
  init(of link: NetworkLink, isJoined: Bool, news: Observable<News>) {
    self.link = link
    self.news = news
    (sharing.isJoined, sharing.isJoining) = (isJoined, isJoined)
    if isJoined { (sharing.pen, sharing.refusals) = (.free, Sharing.Refusal.initial) }
    messages = link.sharingMessages.observe { [unowned self] in receive($0) }
  }

  /// Whether the other end shares its port. Only a serialterm does.
  package var isShared: Bool { sharing.memberID != nil || sharing.isJoined }

  private func person(_ id: Sharing.ID) -> Sharing.Person? { sharing.others.first { $0.id == id } }

  private func receive(_ message: SharingMessage) {
    switch message {
    case .joined(let id, let mayTake, let rule):
      self.rule = rule
      _sharing.update { ($0.memberID, $0.mayTake) = (id, mayTake) }
    case .member(let id, let name, let answers): meet(id, name.harmless, answers)
    case .left(let id):
      guard let person = person(id) else { return }
      _sharing.update {
        $0.others.removeAll { $0.id == id }
        $0.applicants.removeAll { $0.person.id == id }
      }
      news.notify(.left(person))
    case .pen(let holder, let handover): penMoved(to: holder, handover)
    case .asks(let id, let text):
      guard let person = person(id) else { return }
      let applicant = Sharing.Applicant(person: person, text: text?.harmless)
      guard !sharing.applicants.contains(applicant) else { return }
      _sharing.update {
        $0.applicants.removeAll { $0.person.id == id }
        $0.applicants.append(applicant)
      }
      news.notify(.asked(applicant))
    case .kept:
      sharing.isAsking = false
      news.notify(.kept)
    case .history(let time, let bytes):
      // A server sends what the session keeps, and nothing else waits for room on the screen.
      guard bytes.count <= historyRoom else { return }
      historyRoom -= bytes.count
      reportScreen()
      news.notify(.history(bytes, time: time, isOnScreen: isOnScreen))
    case .screen(let bytes):
      if screen.count + bytes.count <= DeviceScreen.limit { screen += bytes }
      if bytes.isEmpty {
        reportScreen()
        isOnScreen = false
      }
    case .missed(let count): news.notify(.missed(Int(count)))
    case .port(let state, let name):
      let isFirst = !hasJoined
      let trouble = state == .open ? nil : state
      // Older servers say it again with each change of the settings.
      let isNews = sharing.portTrouble != trouble || portName != name.harmless
      hasJoined = true
      portName = name.harmless
      _sharing.update {
        $0.portTrouble = trouble
        $0.isJoining = false
      }
      if isFirst && takesPenAtOnce { takePen() }
      if isFirst {
        news.notify(.userJoined)
      } else if isNews {
        news.notify(.port(state, name: name.harmless))
      }
    case .ended(let reason):
      endReason = reason.harmless
      news.notify(.ended(reason.harmless))
    case .refusal(let subject, let code, let text):
      let refusal = Sharing.Refusal(code: code.harmless, text: text.harmless)
      _sharing.update { $0.refusals[subject] = code.isEmpty ? nil : refusal }
    case .logBytes(let bytes): log.add(bytes)
    case .logPiece(let offset, let size, let name):
      log.end(at: offset, size: size, name: name.harmlessFileName)
    case .logFailed(let offset, let reason): log.fail(at: offset, because: reason.harmless)
    // The link handles the features and counters.
    case .features, .counters: break
    case .sent(let number): if number == question { question = nil }
    case .hello, .ask, .give, .keep, .takePen, .returnPen, .askToWrite, .askForScreen, .rename,
      .askWhenSent, .readLog:
      break
    }
  }

  private func reportScreen() {
    guard !screen.isEmpty else { return }
    isOnScreen = true
    news.notify(.screen(screen))
    screen = []
  }

  /// Whether the session has not answered ``askWhenSent()``.
  package var isSending: Bool { question != nil }

  /// Asks whether the driver of the session has taken what the link has got so far. An older
  /// program is not asked.
  package func askWhenSent() {
    guard let link, link.reportsSent else { return }
    lastQuestion &+= 1
    question = lastQuestion
    link.say(.askWhenSent(lastQuestion))
  }

  /// Asks for the screen that a program has drawn, as it is now.
  package func askForScreen() { link?.say(.askForScreen) }

  /// Reads a piece of the session's log; see ``LogDownload/read(_:from:answer:)``.
  func readLog(
    _ count: Int, from offset: Int,
    answer: @escaping LogDownload.Answer
  ) {
    guard let link else { return answer(.failure(LogDownload.Failure("the session has ended"))) }
    let count = max(0, min(count, LogDownload.longestPiece))
    log.begin(count, at: UInt64(offset), answer: answer)
    link.say(.readLog(offset: UInt64(offset), count: UInt32(count)))
  }

  private func meet(_ id: Sharing.ID, _ name: String, _ answers: Bool) {
    guard id != sharing.memberID else { return noteOwnName(name) }
    let person = Sharing.Person(id: id, name: name, answers: answers)
    if let index = sharing.others.firstIndex(where: { $0.id == id }) {
      let old = sharing.others[index]
      _sharing.update {
        $0.others[index] = person
        if case .others(let holder) = $0.pen, holder.id == id { $0.pen = .others(person) }
        for applicant in $0.applicants.indices where $0.applicants[applicant].person.id == id {
          $0.applicants[applicant].person = person
        }
      }
      // A client that identifies itself has another name too. It did not answer before.
      if hasJoined, old.answers, old.name != name {
        news.notify(.renamed(person, from: old.name))
      }
    } else if sharing.others.count < Self.mostOthers {
      sharing.others.append(person)
      if hasJoined { news.notify(.joined(person)) }
    }
  }

  private func noteOwnName(_ name: String) {
    guard name != sharing.ownName else { return }
    sharing.ownName = name
    if hasJoined { news.notify(.ownNameChanged(to: name)) }
  }

  /// The maximum number of other members, so that a faulty server cannot make the
  /// list grow forever.
  private static let mostOthers = 1_024

  private func penMoved(to holder: Sharing.ID, _ handover: SharingMessage.Handover) {
    let old = sharing.pen
    let new: Sharing.Pen =
      switch rule {
      case .all: .everyone
      case .none: .nobody
      case .one: holder == sharing.memberID ? .mine : person(holder).map { .others($0) } ?? .free
      }
    _sharing.update {
      $0.pen = new
      // While there is no pen, nobody asks for it.
      if new == .mine || rule != .one { $0.isAsking = false }
      if new != .mine { $0.applicants = [] }
    }
    let isAutomatic = isReadOnly && old == .mine && new == .free
    if hasJoined && !isAutomatic { news.notify(.penMoved(from: old, to: new, handover)) }
    returnPenIfReadOnly()
  }

  private func returnPenIfReadOnly() {
    if isReadOnly, sharing.memberID != nil, sharing.pen == .mine { returnPen() }
  }

  // MARK: The user

  /// Changes the name of this user for the other members; empty for the name of the connection.
  func rename(_ name: String) { link?.say(.rename(name)) }

  package func ask() {
    sharing.isAsking = true
    link?.say(.ask)
  }

  /// Asks for the pen to write something. Only a person who gives it answers.
  ///
  /// - Parameter text: what will be written, for that person; at most
  ///   ``Telnet/SharingMessage/textLimit`` bytes of it are sent.
  package func ask(toWrite text: String) {
    sharing.isAsking = true
    link?.say(.askToWrite(text))
  }

  package func give(to id: Sharing.ID) { link?.say(.give(id)) }

  package func keep() {
    sharing.applicants = []
    link?.say(.keep)
  }

  package func returnPen() { link?.say(.returnPen) }

  package func takePen() { link?.say(.takePen) }
}

extension String {
  /// The name of a file of another program, which may be used to make one here: without a folder.
  fileprivate var harmlessFileName: String {
    FilePath(self).lastComponent.flatMap { $0.kind == .regular ? $0.string.harmless : nil } ?? "log"
  }
}
