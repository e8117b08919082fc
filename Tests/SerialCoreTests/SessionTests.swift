import SystemPackage
import Testing

@testable import SerialCore

/// Writes down what it hears, as text where that is easier to compare.
private final class Witness: SessionObserver {
  private(set) var states: [SessionState] = []
  private(set) var received: [UInt8] = []
  private(set) var sent: [UInt8] = []
  private(set) var interests: [Session.Interest] = []
  var onState: (Session, SessionState) -> Void = { _, _ in }
  var onReceive: (Session) -> Void = { _ in }
  var onSend: (Session) -> Void = { _ in }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    #expect(old == states.last ?? .closed(nil), "no change is left out")
    states.append(new)
    onState(session, new)
  }
  func session(_ session: Session, didReceive bytes: RawSpan) {
    received += bytes.withUnsafeBytes(Array.init)
    onReceive(session)
  }
  func session(_ session: Session, didSend bytes: RawSpan) {
    sent += bytes.withUnsafeBytes(Array.init)
    onSend(session)
  }
  func session(
    _ session: Session, didChangeInterestFrom old: Session.Interest, to new: Session.Interest
  ) {
    interests.append(new)
  }
}

private final class Guard: SessionDelegate {
  var allows = false
  func sessionShouldClose(_ session: Session) -> Bool { allows }
  func session(_ session: Session, shouldReturnTo path: FilePath) -> Bool { allows }
}

extension Session {
  fileprivate func write(_ bytes: [UInt8]) throws(SerialError) { try write(bytes.span.bytes) }
  fileprivate func becomeReadable() { handle(readable: true, writable: false, hungUp: false) }
  fileprivate func becomeWritable() { handle(readable: false, writable: true, hungUp: false) }
  fileprivate func hangUp() { handle(readable: true, writable: true, hungUp: true) }
}

/// A session over links that a test plays, and what it tells.
private final class Bench {
  private(set) var links: [FakeLink] = []
  var refusal: SerialError.Code?
  var appetite = Int.max
  let witness = Witness()
  let waits: Bool
  private(set) lazy var session = Session(
    settings: LineSettings(), waitsForLostDevice: waits, writeCapacity: 8
  ) { [unowned self] (path, settings) throws(SerialError) in
    if let refusal { throw SerialError(refusal, in: "open", at: path) }
    let link = FakeLink(path: path, settings: settings)
    link.appetite = appetite
    links.append(link)
    return link
  }

  init(waits: Bool = true) {
    self.waits = waits
    session.addObserver(witness)
  }

  var link: FakeLink { links[links.count - 1] }
}

@Suite struct SessionTests {
  private let bench = Bench()
  private var session: Session { bench.session }
  private var witness: Witness { bench.witness }
  private let path: FilePath = "/dev/ttyTEST"

  // MARK: State

  @Test func open_isToldInOrder_andBindsOneDevice() throws {
    try session.open(path)
    #expect(witness.states == [.opening(path, after: nil), .open(path, LineSettings())])
    let error = #expect(throws: SerialError.self) { try session.open("/dev/ttyOTHER") }
    #expect(error?.code == .alreadyBound)
    #expect(bench.links.count == 1)
  }

  @Test func failedOpening_isThrown_andSaidByTheState() {
    bench.refusal = .permissionDenied
    let error = #expect(throws: SerialError.self) { try session.open(path) }
    #expect(error?.code == .permissionDenied)
    #expect(session.state == .closed(.failed(SerialError(.permissionDenied, in: "open", at: path))))
  }

  @Test func close_givesTheLinkBack_beforeObserversHearOfIt() throws {
    try session.open(path)
    let link = bench.link
    witness.onState = { _, state in
      if case .closed = state { #expect(link.closeCount == 1) }
    }
    #expect(session.close())
    #expect(session.state == .closed(.requested))
    #expect(session.close(), "closing again is no error")
    #expect(link.closeCount == 1)
  }

  @Test func delegate_canVetoClosing() throws {
    let guardian = Guard()
    session.delegate = guardian
    try session.open(path)
    #expect(!session.close())
    #expect(session.state.isOpen)
    guardian.allows = true
    #expect(session.close())
  }

  @Test func closedByAnObserver_whileItOpens_opensNothing() throws {
    witness.onState = { session, state in
      if case .opening = state { session.close() }
    }
    try session.open(path)
    #expect(session.state == .closed(.requested))
    #expect(bench.links.isEmpty)
  }

  @Test func openedAnewByAnObserver_whenItHearsOfTheClosing_staysOpen() throws {
    try session.open(path)
    witness.onState = { session, state in
      if case .closed = state { try? session.open("/dev/ttyNEXT") }
    }
    session.close()
    #expect(session.state == .open("/dev/ttyNEXT", LineSettings()))
    #expect(bench.link.closeCount == 0)
  }

  // MARK: Bytes in

  @Test func bytes_reachObservers_asTheyWereRead() throws {
    try session.open(path)
    bench.link.incoming = [[0, 255, 10, 13], [1]]
    session.becomeReadable()
    #expect(witness.received == [0, 255, 10, 13])
    session.becomeReadable()
    session.becomeReadable()
    #expect(witness.received == [0, 255, 10, 13, 1])
  }

  @Test func pausedReading_isNotWanted() throws {
    try session.open(path)
    #expect(session.interest == .reading)
    session.isReadingPaused = true
    session.isReadingPaused = false
    #expect(witness.interests == [.reading, [], .reading])
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

  // MARK: Bytes out

  @Test func write_handsOver_whatTheDriverTakes_andQueuesTheRest() throws {
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

  @Test func discardInsideDidSend_countsOnlyWhatWasNotTaken() throws {
    bench.appetite = 2
    try session.open(path)
    var discarded: [Int] = []
    witness.onSend = { discarded.append($0.discardUnsent()) }
    try session.write([1, 2, 3, 4, 5])
    #expect(discarded == [3])
    #expect(session.queuedByteCount == 0)
    #expect(bench.link.sent == [1, 2])
  }

  // MARK: Losing the device

  @Test func lastBytes_areRead_beforeTheHangUpIsHonoured() throws {
    try session.open(path)
    bench.link.incoming = [[1], [2], [3]]
    bench.link.isAtEnd = true
    session.hangUp()
    #expect(witness.received == [1, 2, 3])
    guard case .waitingForDevice(path, .lost) = session.state else {
      Issue.record("\(session.state)")
      return
    }
  }

  @Test func hangUpAndRemoval_inEitherOrder_areOneLoss() throws {
    for hangUpFirst in [true, false] {
      let bench = Bench()
      try bench.session.open(path)
      if hangUpFirst { bench.session.hangUp() }
      bench.session.deviceDidDisappear()
      bench.session.hangUp()
      #expect(bench.witness.states.count == 3)
      #expect(bench.link.closeCount == 1)
    }
  }

  @Test func returnedDevice_isOpenedAgain_withTheSettings_nothingSentTwice() throws {
    bench.appetite = 2
    try session.open(path)
    try session.apply(LineSettings(baudRate: 9_600))
    try session.write([1, 2, 3, 4])
    session.hangUp()
    #expect(session.queuedByteCount == 2)
    session.deviceDidReturn(at: "/dev/ttyNEW")
    #expect(session.state == .open("/dev/ttyNEW", LineSettings(baudRate: 9_600)))
    #expect(bench.links[0].sent == [1, 2])
    #expect(bench.links[1].sent == [3, 4])
  }

  @Test func discardUnsent_tellsHowMuchTheDriverNeverTook() throws {
    bench.appetite = 2
    try session.open(path)
    try session.write([1, 2, 3, 4])
    session.hangUp()
    #expect(session.discardUnsent() == 2)
    session.deviceDidReturn(at: path)
    #expect(bench.link.sent.isEmpty)
  }

  @Test func failedReturn_isWaitedOut() throws {
    try session.open(path)
    session.hangUp()
    bench.refusal = .permissionDenied
    session.deviceDidReturn(at: path)
    guard case .waitingForDevice(path, .failed(let error)) = session.state else {
      Issue.record("\(session.state)")
      return
    }
    #expect(error.code == .permissionDenied)
    bench.refusal = nil
    session.deviceDidReturn(at: path)
    #expect(session.state.isOpen)
  }

  @Test func delegate_canVetoTheReturn() throws {
    let guardian = Guard()
    try session.open(path)
    session.hangUp()
    session.delegate = guardian
    session.deviceDidReturn(at: path)
    #expect(!session.state.isOpen)
  }

  @Test func lossWithoutWaiting_closes_sayingWhy() throws {
    let bench = Bench(waits: false)
    try bench.session.open(path)
    bench.session.hangUp()
    guard case .closed(.lost(let error)) = bench.session.state else {
      Issue.record("\(bench.session.state)")
      return
    }
    #expect(error.code == .lost)
  }

  @Test func failedWrite_losesTheDevice_readingWhatIsLeft() throws {
    try session.open(path)
    bench.link.incoming = [[7]]
    bench.link.error = SerialError(.lost, in: "write", at: path, errno: .ioError)
    try session.write([1])
    #expect(witness.received == [7])
    #expect(!session.state.isOpen)
    #expect(session.queuedByteCount == 1)
  }

  @Test func waitForDevice_bindsToWhatIsNotThereYet() throws {
    try session.waitForDevice(at: path)
    #expect(session.state == .waitingForDevice(path, .absent))
    session.deviceDidReturn(at: path)
    #expect(session.state.isOpen)
  }
}
