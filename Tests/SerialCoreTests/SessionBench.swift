import Posix
import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

/// Records its events, as text where that is easier to compare.
final class Witness: SessionObserver {
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
  func session(_ session: Session, didHandPenFrom old: Author, to new: Author) {
    hands.append("\(old)>\(new)")
  }
  private(set) var interests: [Interest] = []
  var onState: (Session, SessionState) -> Void = { _, _ in }
  var onReceive: (Session) -> Void = { _ in }
  var onSend: (Session) -> Void = { _ in }
  var onWillClose: (Session) -> Void = { _ in }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    #expect(old == states.last ?? .closed(nil), "no change is left out")
    states.append(new)
    onState(session, new)
  }
  func sessionWillClose(_ session: Session) { onWillClose(session) }
  func session(_ session: Session, didReceive bytes: RawSpan) {
    received += bytes.withUnsafeBytes(Array.init)
    onReceive(session)
  }
  func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    sent += bytes.withUnsafeBytes(Array.init)
    sentPieces.append(Piece(author, bytes.withUnsafeBytes(Array.init)))
    onSend(session)
  }
  func session(
    _ session: Session, didChangeInterestFrom old: Interest, to new: Interest
  ) {
    interests.append(new)
  }
}

final class Guard: SessionDelegate {
  var allows = false
  func sessionShouldClose(_ session: Session) -> Bool { allows }
  func sessionShouldRelease(_ session: Session) -> Bool { allows }
  func session(_ session: Session, shouldReturnTo endpoint: Endpoint) -> Bool { allows }
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
    session.addObserver(witness)
  }

  var link: FakeLink { links[links.count - 1] }
}
