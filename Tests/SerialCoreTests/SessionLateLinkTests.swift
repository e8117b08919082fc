import Observing
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

/// A link that takes time to open and to change its settings, as over a network.
@Suite(.timeLimit(.minutes(30))) struct SessionLateLinkTests {
  private let bench = Bench()
  private var session: Session { bench.session }
  private var witness: Witness { bench.witness }
  private let port = Endpoint(.mirror, "mirror:far")
  private let slow = LineSettings(baudRate: 9_600)

  init() {
    bench.configure = {
      $0.opensLate = true
      $0.changesLate = true
      $0.interest = .writing
    }
  }

  private func open() throws {
    try session.open(port)
    bench.link.finishOpening()
    bench.link.interest = []
  }

  // MARK: Opening

  @Test func openingTakesUntilTheLinkReports() throws {
    try session.open(port)
    #expect(session.state == .opening(port, after: nil))
    #expect(session.descriptor == FileDescriptor(rawValue: 1))
    #expect(session.interest == .writing, "what the link itself waits for")
    session.becomeWritable()
    #expect(bench.link.progressCount == 1)
    bench.link.interest = []
    bench.link.finishOpening()
    #expect(witness.states == [.opening(port, after: nil), .open(port, LineSettings())])
    #expect(session.descriptor == FileDescriptor(rawValue: 0))
    #expect(session.interest == .reading)
  }

  @Test func nothingCanBeSent_beforeTheLinkIsOpen() throws {
    try session.open(port)
    let error = #expect(throws: SerialError.self) { try session.write([1]) }
    #expect(error?.code == .notOpen)
    #expect(throws: SerialError.self) { try session.setBreak(true) }
    #expect(session.capabilities == [])
  }

  @Test(arguments: [true, false])
  func lateRefusal_closesTheSession_orKeepsItWaiting(isReturn: Bool) throws {
    if isReturn {
      try session.waitForDevice(at: port)
      session.deviceDidReturn(at: port)
    } else {
      try session.open(port)
    }
    bench.link.refusal = .permissionDenied
    bench.link.finishOpening()
    let error = SerialError(.permissionDenied, in: "open", at: port)
    #expect(
      session.state
        == (isReturn ? .waitingForDevice(port, .failed(error)) : .closed(.failed(error))))
    #expect(bench.link.closeCount == 1)
    #expect(session.descriptor == nil && session.interest == [])
  }

  @Test func deviceThatDisappears_whileItOpens_hasFailed() throws {
    try session.open(port)
    session.deviceDidDisappear()
    guard case .closed(.failed(let error)) = session.state else {
      Issue.record("\(session.state)")
      return
    }
    #expect(error.code == .lost)
    #expect(bench.link.closeCount == 1)
  }

  @Test func linkThatIsLost_whileItOpens_hasFailed() throws {
    try session.open(port)
    bench.link.tell(.lost(SerialError(.lost, in: "connect", at: port)))
    #expect(bench.link.closeCount == 1)
    #expect(!session.state.isOpen && session.state.endpoint == nil)
  }

  @Test func closing_endsTheAttempt_andALateReportChangesNothing() throws {
    try session.open(port)
    #expect(session.close() == .done(discarded: [:]))
    #expect(bench.link.closeCount == 1)
    bench.link.finishOpening()
    #expect(session.state == .closed(.requested))
    #expect(witness.states == [.opening(port, after: nil), .closed(.requested)])
  }

  @Test func releasing_endsTheAttempt() throws {
    try session.open(port)
    #expect(session.release() == .done(discarded: [:]))
    #expect(session.state == .released(port))
    #expect(bench.link.closeCount == 1)
    bench.link.finishOpening()
    #expect(session.state == .released(port))
  }

  @Test func reportOfAnEarlierLink_changesNothing() throws {
    try session.open(port)
    let earlier = bench.link
    session.close()
    try session.open(port)
    earlier.finishOpening()
    #expect(session.state == .opening(port, after: nil))
  }

  @Test func settingsRequestedWhileItOpens_areAppliedThen() throws {
    try session.open(port)
    try session.apply(slow)
    #expect(session.requestedSettings == slow)
    bench.link.finishOpening()
    #expect(session.state == .open(port, LineSettings()))
    bench.link.finishChange()
    #expect(session.state == .open(port, slow))
  }

  // MARK: Settings

  @Test func settings_areInEffect_whenTheLinkAnswers() throws {
    try open()
    var results: [Result<LineSettings, SerialError>] = []
    session.apply(slow) { results.append($0) }
    #expect(results.isEmpty)
    #expect(session.state == .open(port, LineSettings()))
    #expect(session.requestedSettings == LineSettings())
    bench.link.finishChange()
    #expect(results == [.success(slow)])
    #expect(session.state == .open(port, slow))
    #expect(session.requestedSettings == slow)
  }

  @Test func lateRefusalOfSettings_keepsTheOldOnes() throws {
    try open()
    var results: [Result<LineSettings, SerialError>] = []
    session.apply(slow) { results.append($0) }
    let refusal = SerialError(.settingRefused, in: "SET-BAUDRATE", at: port)
    bench.link.error = refusal
    bench.link.finishChange()
    #expect(results == [.failure(refusal)])
    #expect(session.state == .open(port, LineSettings()))
    #expect(session.requestedSettings == LineSettings())
  }

  @Test func twoChanges_areAnsweredInOrder() throws {
    try open()
    var rates: [UInt32] = []
    for settings in [slow, LineSettings(baudRate: 300)] {
      session.apply(settings) { rates.append((try? $0.get().baudRate) ?? 0) }
    }
    bench.link.finishChange()
    bench.link.finishChange()
    #expect(rates == [9_600, 300])
    #expect(session.requestedSettings.baudRate == 300)
  }

  @Test(arguments: ["close", "release", "disappear"])
  func portThatDisappears_beforeItHasAnswered_isAnErrorForTheCaller(how: String) throws {
    try open()
    var codes: [SerialError.Code] = []
    session.apply(slow) { if case .failure(let error) = $0 { codes.append(error.code) } }
    switch how {
    case "close": session.close()
    case "release": session.release()
    default: session.deviceDidDisappear()
    }
    #expect(codes == [.lost])
    bench.link.finishChange()
    #expect(codes == [.lost], "answered once")
    #expect(!session.state.isOpen)
  }

  @Test func portWithoutSettings_refusesThem() throws {
    bench.configure = { $0.hasSettings = false }
    try session.open(port)
    #expect(!session.capabilities.contains(.settings))
    let error = #expect(throws: SerialError.self) { try session.apply(slow) }
    #expect(error?.code == .unsupported)
  }

  // MARK: Reports of the far end

  @Test func settingsThatTheFarEndChanges_areReported() throws {
    try open()
    bench.link.tell(.settingsChanged(slow))
    #expect(session.state == .open(port, slow))
  }

  @Test func modemLinesThatTheFarEndReports_areObserved() throws {
    try open()
    var changes: [ModemLines] = []
    let token = session.observe(.modemLinesChange) { changes.append($0.new) }
    bench.link.tell(.modemLinesChanged([.cts]))
    bench.link.tell(.modemLinesChanged([.cts]))
    #expect(changes == [.cts])
    #expect(session.modemLines == .cts)
    withExtendedLifetime(token) {}
  }

  @Test func linkThatReportsItsLoss_isLost_afterReadingTheRest() throws {
    try open()
    bench.link.incoming = [[1, 2]]
    bench.link.tell(.lost(SerialError(.lost, in: "keep-alive", at: port)))
    #expect(witness.received == [1, 2])
    guard case .waitingForDevice(port, .lost) = session.state else {
      Issue.record("\(session.state)")
      return
    }
  }
}

extension Endpoint.Kind {
  fileprivate static let mirror = Endpoint.Kind("mirror")
}
