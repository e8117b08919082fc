import Observing
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct SessionTests {
  private let bench = Bench()
  private var session: Session { bench.session }
  private var witness: Witness { bench.witness }
  private let path = Endpoint.tty("/dev/ttyTEST")

  // MARK: State

  @Test func open_isReportedInOrder_andBindsOneDevice() throws {
    try session.open(path)
    #expect(witness.states == [.opening(path, after: nil), .open(path, LineSettings())])
    let error = #expect(throws: SerialError.self) { try session.open(.tty("/dev/ttyOTHER")) }
    #expect(error?.code == .alreadyBound)
    #expect(bench.links.count == 1)
  }

  @Test func failedOpening_isThrown_andIsInTheState() {
    bench.refusal = .permissionDenied
    let error = #expect(throws: SerialError.self) { try session.open(path) }
    #expect(error?.code == .permissionDenied)
    #expect(session.state == .closed(.failed(SerialError(.permissionDenied, in: "open", at: path))))
  }

  @Test func close_releasesTheLink_beforeObserversGetTheEvent() throws {
    try session.open(path)
    let link = bench.link
    witness.onState = { _, state in
      if case .closed = state { #expect(link.closeCount == 1) }
    }
    #expect(session.close() == .done(discarded: [:]))
    #expect(session.state == .closed(.requested))
    #expect(session.close() == .done(discarded: [:]), "closing again is no error")
    #expect(link.closeCount == 1)
  }

  @Test(arguments: ["close", "release"])
  func closing_isAnnounced_whileThePortIsOpen(how: String) throws {
    try session.open(path)
    let link = bench.link
    var announcements = 0
    witness.onWillClose = { session in
      announcements += 1
      #expect(session.isOpen)
      #expect(link.closeCount == 0)
      #expect(throws: Never.self) { try session.write("bye") }
    }
    if how == "close" { session.close() } else { session.release() }
    #expect(link.sent == [UInt8]("bye".utf8))
    #expect(link.closeCount == 1)
    #expect(announcements == 1)
    session.close()
    #expect(announcements == 1, "nothing is open any more")
  }

  @Test func lossAndVeto_announceNoClosing() throws {
    let guardian = Guard()
    session.delegate = guardian
    witness.onWillClose = { _ in Issue.record("announced") }
    try session.open(path)
    session.close()
    session.hangUp()
  }

  @Test func closedByAnObserver_whenClosingIsAnnounced_closesOnce() throws {
    try session.open(path)
    let link = bench.link
    witness.onWillClose = { session in session.close() }
    #expect(session.close() == .done(discarded: [:]))
    #expect(link.closeCount == 1)
    #expect(witness.states.last == .closed(.requested))
  }

  @Test func delegate_canVetoClosing() throws {
    let guardian = Guard()
    session.delegate = guardian
    try session.open(path)
    #expect(!session.mayClose())
    #expect(session.close() == .refused)
    #expect(session.state.isOpen)
    guardian.allows = true
    #expect(session.mayClose())
    #expect(session.close() == .done(discarded: [:]))
  }

  @Test func closedByAnObserver_whileItOpens_opensNothing() throws {
    witness.onState = { session, state in
      if case .opening = state { session.close() }
    }
    try session.open(path)
    #expect(session.state == .closed(.requested))
    #expect(bench.links.isEmpty)
  }

  @Test func reopenedByAnObserver_duringTheClosing_staysOpen() throws {
    try session.open(path)
    witness.onState = { session, state in
      if case .closed = state { try? session.open(.tty("/dev/ttyNEXT")) }
    }
    session.close()
    #expect(session.state == .open(.tty("/dev/ttyNEXT"), LineSettings()))
    #expect(bench.link.closeCount == 0)
  }

  // MARK: Receiving

  @Test func bytes_reachObservers_asTheyWereRead() throws {
    try session.open(path)
    bench.link.incoming = [[0, 255, 10, 13], [1]]
    session.becomeReadable()
    #expect(witness.received == [0, 255, 10, 13])
    session.becomeReadable()
    session.becomeReadable()
    #expect(witness.received == [0, 255, 10, 13, 1])
  }

  @Test func closedByAnObserver_whileItReads_getsNoMoreOfThePiece() throws {
    var errors: [LineError] = []
    let token = session.observe(.lineError) { errors.append($0) }
    try session.open(path)
    bench.link.incoming = [FakeLink.Input(.bytes([1]), .error(.damaged(2)), .bytes([2, 3]))]
    bench.link.incoming += bench.link.incoming
    session.handle(.readable)
    #expect(witness.received == [1, 2, 3] && errors == [.damaged(2)])
    witness.onReceive = { $0.close() }
    session.handle(.readable)
    #expect(witness.received == [1, 2, 3, 1] && errors == [.damaged(2)])
    withExtendedLifetime(token) {}
  }

  @Test func observerOfSomeKinds_getsOnlyThose() throws {
    let receiver = Witness()
    let sender = Witness()
    receiver.followReceived(by: session)
    sender.followSent(by: session)
    var states: [SessionState] = []
    let token = session.observe(.stateChange) { states.append($0.new) }
    var sent: [UInt8] = []
    let other = session.observe(.sent) { sent += $0.bytes }
    try withExtendedLifetime((token, other)) {
      try session.open(path)
      bench.link.incoming = [[1, 2]]
      session.handle(.readable)
      try session.write(([3] as [UInt8]).span.bytes)
      session.owner = .keyboard
    }
    #expect(receiver.received == [1, 2] && receiver.sent == [] && receiver.states == [])
    #expect(sender.received == [] && sender.sent == [3] && sender.hands.count == 1)
    #expect(states == witness.states && sent == [3])
    #expect(session.receivedByteCount == 2 && session.sentByteCount == 1)
  }

  @Test
  func `Observers are notified in the order of their ranks, in whatever order they were added`()
    throws
  {
    typealias Rank = Session.ObserverRank
    for ranks in [Rank.allCases, Rank.allCases.reversed(), Rank.allCases.shuffled()] {
      let bench = Bench()
      var notified: [Rank] = []
      let tokens = ranks.map { rank in
        bench.session.observe(.stateChange, rank: rank) {
          if $0.new.isOpen { notified.append(rank) }
        }
      }
      try bench.session.open(path)
      #expect(notified == Rank.allCases)
      withExtendedLifetime(tokens) {}
    }
  }

  @Test func `Every kind of event has a bit of its own`() {
    typealias Kind = SessionEvent.Kind
    let bits = [
      Kind.stateChange.bit, Kind.received.bit, Kind.lineError.bit, Kind.modemLinesChange.bit,
      Kind.countersChange.bit, Kind.sent.bit, Kind.penChange.bit, Kind.interestChange.bit,
      Kind.willClose.bit,
    ]
    #expect(Set(bits).count == bits.count)
    #expect(bits.allSatisfy { $0.nonzeroBitCount == 1 })
  }

  @Test func aReadThatFillsTheBuffer_isReportedCompletely() throws {
    try session.open(path)
    let piece = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    bench.link.incoming = [FakeLink.Input(piece), [1, 2]]
    session.becomeReadable()
    session.becomeReadable()
    // Compared here, because a failure of #expect would print 65,536 numbers.
    let isExact = witness.received == piece + [1, 2]
    #expect(isExact)
    #expect(witness.received.count == 65_538)
  }

  @Test func closedByAnObserver_whileItReads_isFine() throws {
    try session.open(path)
    witness.onReceive = { $0.close() }
    bench.link.incoming = [[1], [2]]
    session.becomeReadable()
    session.hangUp()
    #expect(witness.received == [1])
    #expect(session.state == .closed(.requested))
  }

  // MARK: Sending

  @Test func write_passesOn_whatTheDriverTakes_andQueuesTheRest() throws {
    bench.appetite = 3
    try session.open(path)
    try session.write([1, 2, 3, 4, 5])
    #expect(bench.link.sent == [1, 2, 3])
    #expect(witness.sent == [1, 2, 3])
    #expect(session.queuedByteCount == 2)
    #expect(session.interest == [.reading, .writing])
    bench.link.appetite = .max
    session.becomeWritable()
    #expect(witness.sent == [1, 2, 3, 4, 5])
    #expect(session.interest == .reading)
  }

  @Test func write_takesAllOrNothing() throws {
    bench.appetite = 0
    try session.open(path)
    try session.write([1, 2, 3, 4, 5])
    let error = #expect(throws: SerialError.self) { try session.write([6, 7, 8, 9]) }
    #expect(error?.code == .queueFull)
    #expect(session.queuedByteCount == 5)
    #expect(session.writeRoom == 3)
  }

  @Test func write_isRefused_whenNothingIsOpen() {
    let error = #expect(throws: SerialError.self) { try session.write([1]) }
    #expect(error?.code == .notOpen)
  }

  @Test func writeFromACallback_goesOut_afterTheRound() throws {
    try session.open(path)
    witness.onReceive = { try? $0.write([42]) }
    bench.link.incoming = [[1]]
    session.becomeReadable()
    #expect(bench.link.sent.isEmpty)
    #expect(session.interest == [.reading, .writing])
    session.becomeWritable()
    #expect(bench.link.sent == [42])
  }

  @Test(arguments: [false, true])
  func bytesForOneDevice_areNotSentToTheNext(waits: Bool) throws {
    bench.appetite = 2
    try session.open(path)
    try session.write([1, 2, 3, 4, 5])
    #expect(session.close() == .done(discarded: [.program: 3]))
    bench.appetite = .max
    if waits {
      try session.waitForDevice(at: .tty("/dev/ttyNEXT"))
      session.deviceDidReturn(at: .tty("/dev/ttyNEXT"))
    } else {
      try session.open(.tty("/dev/ttyNEXT"))
    }
    try session.write([6])
    #expect(bench.link.sent == [6])
  }

  @Test func discardInsideDidSend_countsOnlyTheBytesNotTaken() throws {
    bench.appetite = 2
    try session.open(path)
    var discarded: [UnsentBytes] = []
    witness.onSend = { discarded.append($0.discardQueued()) }
    try session.write([1, 2, 3, 4, 5])
    #expect(discarded == [[.program: 3]])
    #expect(session.queuedByteCount == 0)
    #expect(bench.link.sent == [1, 2])
  }
}
