import EventLoop
import Posix
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Testing
import Time

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct TerminalStateModelTests {
  @Test func stateFollowsWhetherTheDeviceAcceptsBytes() throws {
    let clock = TestClock()
    let loop = try IOLoop(clock: { clock.now })
    let endpoint = Endpoint.tty("/dev/ttyTEST")
    let link = FakeLink(to: endpoint)
    let session = Session(settings: LineSettings()) { _ in link }
    let model = TerminalStateModel(TerminalState())
    let detector = HoldDetector(session, on: loop)
    model.followHoldDetector(detector)
    try session.open(endpoint)
    link.appetite = 0
    try session.write("x")
    #expect(!model.state.isHeld)
    clock.advance(by: .seconds(1))
    try loop.turn()
    #expect(model.state.isHeld)
    link.appetite = .max
    session.handle(.writable)
    #expect(!model.state.isHeld)
  }
}
