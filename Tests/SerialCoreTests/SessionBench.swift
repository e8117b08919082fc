import Observing
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

/// Records its events, as text where that is easier to compare.
final class Witness {
  private(set) var states: [SessionState] = []
  private(set) var received: [UInt8] = []
  private(set) var sent: [UInt8] = []
  /// The pieces of ``sent``, each with its author.
  private(set) var sentPieces: [Piece] = []
  /// The changes of the pen's holder, in order, as `old>new`.
  private(set) var hands: [String] = []

  struct Piece: Hashable {
    let author: Author
    let bytes: [UInt8]
    init(_ author: Author, _ bytes: [UInt8]) { (self.author, self.bytes) = (author, bytes) }
  }
  private(set) var interests: [Interest] = []
  var onState: (Session, SessionState) -> Void = { _, _ in }
  var onReceive: (Session) -> Void = { _ in }
  var onSend: (Session) -> Void = { _ in }
  var onWillClose: (Session) -> Void = { _ in }

  private var observations: [ObservationToken<SessionEvent>] = []

  /// Observes every kind of event.
  func follow(_ session: Session) {
    followState(of: session)
    followReceived(by: session)
    followSent(by: session)
    observations += [
      session.observe(.interestChange) { [unowned self] in interests.append($0.new) },
      session.observe(.willClose) { [unowned self, unowned session] _ in onWillClose(session) },
    ]
  }

  private func followState(of session: Session) {
    observations.append(
      session.observe(.stateChange) { [unowned self, unowned session] in
        #expect($0.old == states.last ?? .closed(nil), "no change is left out")
        states.append($0.new)
        onState(session, $0.new)
      })
  }

  func followReceived(by session: Session) {
    observations.append(
      session.observe(.received) { [unowned self, unowned session] in
        received += Array($0)
        onReceive(session)
      })
  }

  /// Observes what is sent, and who may write.
  func followSent(by session: Session) {
    observations += [
      session.observe(.sent) { [unowned self, unowned session] in
        sent += Array($0.bytes)
        sentPieces.append(Piece($0.author, Array($0.bytes)))
        onSend(session)
      },
      session.observe(.penChange) { [unowned self] in hands.append("\($0.old)>\($0.new)") },
    ]
  }
}

final class Guard: SessionDelegate {
  var allows = false
  func sessionShouldClose(_ session: Session) -> Bool { allows }
  func sessionShouldRelease(_ session: Session) -> Bool { allows }
}

extension Session {
  func write(_ bytes: [UInt8]) throws(SerialError) { try write(bytes.span.bytes) }
  func write(_ bytes: [UInt8], by author: Author) throws(SerialError) {
    try write(bytes.span.bytes, by: author)
  }
  func becomeReadable() { handle(.readable) }
  func becomeWritable() { handle(.writable) }
  func hangUp() { handle([.readable, .writable, .hungUp]) }
}

/// A session with simulated links, and its witness.
final class Bench {
  private(set) var links: [FakeLink] = []
  var refusal: SerialError.Code?
  var appetite = Int.max
  /// Changes a link before it is opened.
  var configure: (FakeLink) -> Void = { _ in }
  let witness = Witness()
  let waits: Bool
  private(set) lazy var session = Session(
    settings: LineSettings(), waitsForLostDevice: waits, writeCapacity: 8
  ) { [unowned self] endpoint in
    let link = FakeLink(to: endpoint)
    link.refusal = refusal
    link.appetite = appetite
    configure(link)
    links.append(link)
    return link
  }

  init(waits: Bool = true) {
    self.waits = waits
    witness.follow(session)
  }

  var link: FakeLink { links[links.count - 1] }
}
