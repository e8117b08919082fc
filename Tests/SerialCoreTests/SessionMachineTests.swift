import SystemPackage
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct SessionMachineTests {
  private static let a = Endpoint.tty("/dev/ttyA")
  private static let b = Endpoint.tty("/dev/ttyB")
  private static let settings = LineSettings()
  private static let slow = LineSettings(baudRate: 9_600)
  private static let gone = SerialError(.lost, in: "read", at: a)
  private static let denied = SerialError(.permissionDenied, in: "open", at: a)

  /// Events that lead to each state.
  private static let closed: [SessionMachine.Event] = []
  private static let opening: [SessionMachine.Event] = [.open(a)]
  private static let open: [SessionMachine.Event] = [.open(a), .opened(settings)]
  private static let waiting: [SessionMachine.Event] = open + [.linkLost(gone)]
  private static let released: [SessionMachine.Event] = open + [.release]
  private static let returning: [SessionMachine.Event] = waiting + [.deviceReturned(b)]

  struct Case: CustomTestStringConvertible {
    let given: [SessionMachine.Event]
    let event: SessionMachine.Event
    let state: SessionState
    var action: SessionMachine.Action?
    var testDescription: String { "\(given) + \(event)" }
  }

  /// Written by hand: every event that can occur in each state.
  static let transitions: [Case] = [
    Case(given: closed, event: .open(a), state: .opening(a, after: nil), action: .openLink(a)),
    Case(given: closed, event: .wait(a), state: .waitingForDevice(a, .absent)),
    Case(given: closed, event: .close, state: .closed(nil)),
    Case(given: closed, event: .linkLost(gone), state: .closed(nil)),
    Case(given: closed, event: .deviceReturned(b), state: .closed(nil)),
    Case(given: closed, event: .settingsChanged(slow), state: .closed(nil)),

    Case(given: opening, event: .opened(settings), state: .open(a, settings)),
    Case(
      given: opening, event: .openFailed(denied), state: .closed(.failed(denied)),
      action: .closeLink),
    Case(given: opening, event: .close, state: .closed(.requested), action: .closeLink),
    Case(given: opening, event: .linkLost(gone), state: .opening(a, after: nil)),
    Case(given: opening, event: .deviceReturned(b), state: .opening(a, after: nil)),
    Case(given: opening, event: .settingsChanged(slow), state: .opening(a, after: nil)),

    Case(given: open, event: .settingsChanged(slow), state: .open(a, slow)),
    Case(
      given: open, event: .linkLost(gone), state: .waitingForDevice(a, .lost(gone)),
      action: .closeLink),
    Case(given: open, event: .close, state: .closed(.requested), action: .closeLink),
    Case(given: open, event: .deviceReturned(b), state: .open(a, settings)),

    Case(
      given: waiting, event: .deviceReturned(b), state: .opening(b, after: .lost(gone)),
      action: .openLink(b)),
    Case(given: waiting, event: .close, state: .closed(.requested)),
    Case(given: waiting, event: .linkLost(gone), state: .waitingForDevice(a, .lost(gone))),
    Case(given: waiting, event: .settingsChanged(slow), state: .waitingForDevice(a, .lost(gone))),

    Case(given: returning, event: .opened(settings), state: .open(b, settings)),
    Case(
      given: returning, event: .openFailed(denied), state: .waitingForDevice(b, .failed(denied)),
      action: .closeLink),
    Case(given: returning, event: .close, state: .closed(.requested), action: .closeLink),

    Case(given: closed, event: .release, state: .closed(nil)),
    Case(given: opening, event: .release, state: .released(a), action: .closeLink),
    Case(given: open, event: .release, state: .released(a), action: .lendLink),
    Case(given: waiting, event: .release, state: .released(a)),
    Case(given: released, event: .release, state: .released(a)),
    Case(given: released, event: .takeBack, state: .waitingForDevice(a, .released)),
    Case(given: released, event: .close, state: .closed(.requested)),
    Case(given: released, event: .linkLost(gone), state: .released(a)),
    Case(given: released, event: .deviceReturned(b), state: .released(b)),
    Case(given: released, event: .deviceMissing, state: .released(a)),
    Case(
      given: released + [.takeBack], event: .deviceMissing,
      state: .waitingForDevice(a, .released)),
    Case(given: waiting, event: .deviceMissing, state: .waitingForDevice(a, .lost(gone))),
    Case(given: open, event: .deviceMissing, state: .open(a, settings)),
    Case(given: opening, event: .deviceMissing, state: .opening(a, after: nil)),
    Case(given: closed, event: .deviceMissing, state: .closed(nil)),
    Case(given: released, event: .settingsChanged(slow), state: .released(a)),
    Case(given: closed, event: .takeBack, state: .closed(nil)),
    Case(given: opening, event: .takeBack, state: .opening(a, after: nil)),
    Case(given: open, event: .takeBack, state: .open(a, settings)),
    Case(given: waiting, event: .takeBack, state: .waitingForDevice(a, .lost(gone))),
    Case(
      given: released + [.takeBack], event: .deviceReturned(b),
      state: .opening(b, after: .released), action: .openLink(b)),
  ]

  @Test(arguments: transitions)
  func event_leadsToStateAndAction(_ example: Case) throws {
    var machine = SessionMachine(waitsForLostDevice: true)
    for event in example.given { _ = try machine.handle(event) }
    #expect(try machine.handle(example.event) == example.action)
    #expect(machine.state == example.state)
  }

  @Test func lostDevice_closesTheSession_whenItDoesNotWait() throws {
    var machine = SessionMachine(waitsForLostDevice: false)
    for event in Self.open { _ = try machine.handle(event) }
    #expect(try machine.handle(.linkLost(Self.gone)) == .closeLink)
    #expect(machine.state == .closed(.lost(Self.gone)))
  }

  @Test func deviceThatIsMissingAfterARelease_closesTheSession_whenItDoesNotWait() throws {
    var machine = SessionMachine(waitsForLostDevice: false)
    for event in Self.released + [.takeBack] { _ = try machine.handle(event) }
    #expect(try machine.handle(.deviceMissing) == nil)
    #expect(machine.state == .closed(.lost(SerialError(.lost, in: "take back", at: Self.a))))
  }

  @Test(arguments: [opening, open, waiting, returning, released])
  func secondDevice_isRefused_whileTheSessionIsBound(given: [SessionMachine.Event]) throws {
    var machine = SessionMachine(waitsForLostDevice: true)
    for event in given { _ = try machine.handle(event) }
    let state = machine.state
    for request: SessionMachine.Event in [.open(.tty("/dev/other")), .wait(.tty("/dev/other"))] {
      let error = #expect(throws: SerialError.self) { try machine.handle(request) }
      #expect(error?.code == .alreadyBound)
      #expect(error?.endpoint == state.endpoint)
      #expect(machine.state == state, "a refused request changes nothing")
    }
  }
}
