import Observing
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing

/// Records the events of the line, and the bytes between them.
private final class LineWitness {
  enum Heard: Hashable {
    case state(isOpen: Bool)
    case bytes([UInt8])
    case error(LineError)
    case lines(ModemLines, ModemLines)
    case framingErrors(UInt32, UInt32)
  }

  private(set) var heard: [Heard] = []
  var onError: (Session) -> Void = { _ in }

  private var observations: [ObservationToken<SessionEvent>] = []

  func follow(_ session: Session) {
    observations = [
      session.observe(.stateChange) { [unowned self] in
        if $0.old.isOpen != $0.new.isOpen { heard.append(.state(isOpen: $0.new.isOpen)) }
      },
      session.observe(.received) { [unowned self] in heard.append(.bytes(Array($0))) },
      session.observe(.lineError) { [unowned self, unowned session] in
        heard.append(.error($0))
        onError(session)
      },
      session.observe(.modemLinesChange) { [unowned self] in heard.append(.lines($0.old, $0.new)) },
      session.observe(.countersChange) { [unowned self] in
        heard.append(.framingErrors($0.old.framingErrors, $0.new.framingErrors))
      },
    ]
  }
}

@Suite(.timeLimit(.minutes(30))) struct SessionLineTests {
  private let path = Endpoint.tty("/dev/ttyTEST")
  private let witness = LineWitness()
  private let link: FakeLink
  private let session: Session

  init() {
    let link = FakeLink(to: path)
    self.link = link
    session = Session(settings: LineSettings(), waitsForLostDevice: false) { _ in link }
    witness.follow(session)
  }

  private func read(_ bytes: [UInt8]) {
    link.incoming = [FakeLink.Input(bytes)]
    session.handle(.readable)
  }

  // MARK: Breaks

  @Test func breaksOfSeveral_endEachByItself() throws {
    #expect(throws: SerialError.self) { try session.beginBreak() }
    try session.open(path)
    var first: Session.Break? = try session.beginBreak()
    let second = try session.beginBreak()
    #expect(link.breaks == [true, true])
    first?.end()
    first?.end()
    first = nil
    try session.setBreak(false)
    #expect(link.breaks == [true, true], "the second one goes on")
    second.end()
    #expect(link.breaks == [true, true, false])
    try session.setBreak(false)
    #expect(link.breaks == [true, true, false, false])
  }

  @Test func aBreakOfAClosedPort_doesNothingToTheNext() throws {
    let other = FakeLink(to: path)
    var links = [link, other]
    let session = Session(settings: LineSettings()) { _ in links.removeFirst() }
    try session.open(path)
    let old = try session.beginBreak()
    session.close()
    try session.open(path)
    let new = try session.beginBreak()
    old.end()
    #expect(other.breaks == [true])
    new.end()
    #expect(other.breaks == [true, false])
  }

  // MARK: Modem lines

  @Test func modemLines_areKnown_fromTheOpeningToTheClosing() throws {
    #expect(session.modemLines == nil)
    #expect(session.capabilities.isEmpty)
    try session.open(path)
    #expect(session.modemLines == [.dtr, .rts])
    #expect(session.capabilities.contains(.modemLines))
    session.close()
    #expect(session.modemLines == nil)
    #expect(session.counters == nil)
    #expect(session.capabilities.isEmpty)
  }

  @Test func change_isReportedOnce_whileItIsObserved() throws {
    try session.open(path)
    link.lines = [.dtr, .rts, .cts]
    #expect(session.modemLines == [.dtr, .rts])
    session.refreshModemLines()
    session.refreshModemLines()
    #expect(session.modemLines == [.dtr, .rts, .cts])
    #expect(
      witness.heard == [.state(isOpen: true), .lines([.dtr, .rts], [.dtr, .rts, .cts])])
  }

  @Test func setLines_areReadBack_andReported() throws {
    try session.open(path)
    try session.setModemLines(deasserting: .dtr)
    #expect(link.lines == .rts)
    #expect(session.modemLines == .rts)
    try session.setModemLines(asserting: .dtr, deasserting: .rts)
    #expect(session.modemLines == .dtr)
    #expect(witness.heard.dropFirst() == [.lines([.dtr, .rts], .rts), .lines(.rts, .dtr)])
  }

  @Test func portWithoutLines_saysSo() throws {
    link.lines = nil
    try session.open(path)
    #expect(session.modemLines == nil)
    session.refreshModemLines()
    let error = #expect(throws: SerialError.self) { try session.setModemLines(asserting: .dtr) }
    #expect(error?.code == .unsupported)
    #expect(witness.heard == [.state(isOpen: true)])
  }

  @Test func closedSession_setsNothing() {
    let error = #expect(throws: SerialError.self) { try session.setModemLines(asserting: .dtr) }
    #expect(error?.code == .notOpen)
    session.refreshModemLines()
    #expect(witness.heard.isEmpty)
  }

  @Test func counters_areReportedOnce_whileTheyAreObserved() throws {
    link.counted.breaks = 7
    try session.open(path)
    #expect(session.counters?.breaks == 7)
    link.counted.framingErrors = 3
    #expect(session.counters?.framingErrors == 0)
    session.refreshCounters()
    session.refreshCounters()
    #expect(session.counters?.framingErrors == 3)
    #expect(witness.heard == [.state(isOpen: true), .framingErrors(0, 3)])
  }

  @Test func closedSession_countsNothing() {
    session.refreshCounters()
    #expect(witness.heard.isEmpty)
  }

  // MARK: Errors

  @Test func unmarkedBytes_passUnchanged() throws {
    try session.open(path)
    read([0xFF, 0, 0, 0xFF, 0xFF])
    #expect(witness.heard.last == .bytes([0xFF, 0, 0, 0xFF, 0xFF]))
  }

  @Test func errors_areReported_beforeTheirByte() throws {
    try session.open(path)
    link.incoming = [FakeLink.Input(.bytes([1]), .error(.damaged(0x41)), .bytes([0x41, 2]))]
    session.handle(.readable)
    #expect(
      witness.heard == [
        .state(isOpen: true), .bytes([1]), .error(.damaged(0x41)), .bytes([0x41, 2]),
      ])
  }

  @Test func closedByAnObserver_betweenPieces_tellsNoMore() throws {
    try session.open(path)
    witness.onError = { $0.close() }
    link.incoming = [FakeLink.Input(.bytes([1]), .error(.damaged(0x41)), .bytes([0x41, 2]))]
    session.handle(.readable)
    #expect(
      witness.heard == [
        .state(isOpen: true), .bytes([1]), .error(.damaged(0x41)), .state(isOpen: false),
      ])
  }
}
