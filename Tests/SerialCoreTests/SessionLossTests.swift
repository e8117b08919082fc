import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct SessionLossTests {
  private let bench = Bench()
  private var session: Session { bench.session }
  private var witness: Witness { bench.witness }
  private let path = Endpoint.tty("/dev/ttyTEST")

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

  @Test func `A far end that talks on after the loss is not heard without end`() throws {
    try session.open(path)
    bench.link.incoming = (0..<5_000).map { FakeLink.Input([UInt8(truncatingIfNeeded: $0)]) }
    session.hangUp()
    #expect(witness.received.count == 1_024)
    #expect(!session.isOpen)
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
    session.deviceDidReturn(at: .tty("/dev/ttyNEW"))
    #expect(session.state == .open(.tty("/dev/ttyNEW"), LineSettings(baudRate: 9_600)))
    #expect(bench.links[0].sent == [1, 2])
    #expect(bench.links[1].sent == [3, 4])
  }

  @Test func discardQueued_tellsHowMuchTheDriverNeverTook() throws {
    bench.appetite = 2
    try session.open(path)
    try session.write([1, 2, 3, 4])
    session.hangUp()
    #expect(session.discardQueued() == [.program: 2])
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

  @Test func queueOfALostDevice_isNotSentToTheNextOne() throws {
    let bench = Bench(waits: false)
    bench.appetite = 2
    try bench.session.open(path)
    try bench.session.write([1, 2, 3, 4])
    bench.session.hangUp()
    #expect(bench.session.queuedByteCount == 2)
    try bench.session.open(.tty("/dev/ttyOTHER"))
    #expect(bench.session.queuedByteCount == 0)
    #expect(bench.link.sent.isEmpty)
  }

  @Test func failedWrite_losesTheDevice_afterReadingTheRest() throws {
    try session.open(path)
    bench.link.incoming = [[7]]
    bench.link.error = SerialError(.lost, in: "write", at: path, errno: .ioError)
    try session.write([1])
    #expect(witness.received == [7])
    #expect(!session.state.isOpen)
    #expect(session.queuedByteCount == 1)
  }

  @Test func waitForDevice_bindsToAnAbsentDevice() throws {
    try session.waitForDevice(at: path)
    #expect(session.state == .waitingForDevice(path, .absent))
    session.deviceDidReturn(at: path)
    #expect(session.state.isOpen)
  }

  // MARK: Releasing the device

  @Test func release_closesTheLink_andTakingBackOpensItWhereTheDeviceIs() throws {
    try session.open(path)
    let link = bench.link
    #expect(session.release() == .done(discarded: [:]))
    #expect(session.state == .released(path))
    #expect(link.closeCount == 1)
    session.deviceDidReturn(at: path)
    #expect(session.state == .released(path), "it is left alone until it is taken back")
    session.takeBack()
    #expect(session.state == .waitingForDevice(path, .released))
    session.deviceDidReturn(at: .tty("/dev/ttyTEST1"))
    #expect(session.state == .open(.tty("/dev/ttyTEST1"), LineSettings()))
  }

  @Test func settingsChangedWhileReleased_areAskedForWhenItIsTakenBack() throws {
    try session.open(path)
    session.release()
    try session.apply(LineSettings(baudRate: 9_600))
    session.takeBack()
    session.deviceDidReturn(at: path)
    #expect(bench.link.settings.baudRate == 9_600)
  }

  @Test func delegate_canVetoTheRelease() throws {
    let guardian = Guard()
    session.delegate = guardian
    try session.open(path)
    #expect(session.release() == .refused)
    #expect(session.state.isOpen)
    guardian.allows = true
    #expect(session.release() == .done(discarded: [:]))
    #expect(session.release() == .done(discarded: [:]), "releasing again is no error")
  }

  @Test func release_ofAClosedSession_doesNothing() {
    #expect(session.release() == .refused)
    #expect(session.state == .closed(nil))
  }

  @Test func write_isRefused_whileReleased() throws {
    try session.open(path)
    session.release()
    let error = #expect(throws: SerialError.self) { try session.write([1]) }
    #expect(error?.code == .notOpen)
  }
}
