import Observing
import SerialCore
import Telnet
import TestSupport
import Testing

@testable import Sessions

/// What members learn about the real port: its features, its counters, the refusals of its owner.
@Suite(.timeLimit(.minutes(30))) struct RefusalTests {
  private typealias Refusals = [SharingMessage.Subject: Sharing.Refusal]

  private let noBreak: Refusals = [
    .breaks: Sharing.Refusal(code: "no-break", text: "this port has no break")
  ]
  private let network: LineCapabilities = [.backPressure, .networkTiming]

  // MARK: Features and counters

  @Test(arguments: [true, false]) func `A member's port has the features of the real one`(
    isJoined: Bool
  ) throws {
    let bench = try SharingBench(.all, home: nil, lines: nil)
    let anna = try isJoined ? bench.viewer(named: "anna") : bench.person(isReadOnly: false)
    let session = anna.controller.session
    #expect(session.capabilities == network.union([.breaks, .settings, .counters]))
    #expect(session.modemLines == nil)
    bench.controller.session.deviceDidDisappear()
    #expect(try bench.wait { session.capabilities == network })
    (bench.link.hasBreaks, bench.link.hasCounters, bench.link.lines) = (false, false, .rts)
    bench.controller.session.deviceDidReturn(at: bench.link.endpoint)
    #expect(try bench.wait { session.capabilities == network.union([.modemLines, .settings]) })
    #expect(try bench.wait { session.modemLines == .rts })
    #expect(session.counters == nil && session.isOpen)
  }

  @Test func `Features that a far end changes are passed on`() throws {
    let bench = try SharingBench(.all, home: nil)
    let anna = try bench.viewer(named: "anna")
    #expect(anna.controller.session.capabilities.contains(.breaks))
    bench.link.tell(
      .featuresChanged(LineProbe(modemLines: nil, counters: nil, hasBreaks: false)))
    #expect(try bench.wait { anna.controller.session.capabilities == network.union(.settings) })
  }

  @Test func `A member's counters are those of the real port`() throws {
    let bench = try SharingBench(.all, home: nil)
    bench.link.counted.framingErrors = 40
    bench.controller.session.refreshCounters()
    let anna = try bench.viewer(named: "anna")
    let session = anna.controller.session
    #expect(session.counters?.framingErrors == 40)
    var changes: [LineCounters] = []
    let token = session.observe(.countersChange) { changes.append($0.new.changes(since: $0.old)) }
    bench.link.counted.framingErrors = 42
    bench.link.counted.ctsChanges = 5
    bench.controller.session.refreshCounters()
    #expect(try bench.wait { session.counters == bench.link.counted })
    session.refreshCounters()
    #expect(session.counters == bench.link.counted && changes.count == 1)
    // Another device begins with its own counters: that is no error of the line.
    bench.controller.session.deviceDidDisappear()
    bench.link.counted = LineCounters()
    bench.controller.session.deviceDidReturn(at: bench.link.endpoint)
    #expect(try bench.wait { session.counters == LineCounters() })
    #expect(changes.count == 1)
    withExtendedLifetime(token) {}
  }

  // MARK: Refusals

  @Test(arguments: [true, false]) func `A member knows the owner's refusals, and each change`(
    isJoined: Bool
  ) throws {
    let bench = try SharingBench(.all, home: nil)
    bench.controller.sharing.refusals = noBreak
    let anna = try isJoined ? bench.viewer(named: "anna") : bench.person(isReadOnly: false)
    #expect(anna.sharing.refusals == noBreak)
    bench.controller.sharing.refusals[.noExchange] = .init(
      code: "busy", text: "a\u{1B}[2J is being sent")
    #expect(try bench.wait { anna.sharing.refusals.count == 2 })
    let busy = anna.sharing.refusals[.noExchange]
    #expect(busy?.code == "busy" && busy?.text.contains("\u{1B}") == false)
    bench.controller.sharing.refusals = [:]
    #expect(try bench.wait { anna.sharing.refusals.isEmpty })
    #expect(bench.controller.sharing.sharing.refusals.isEmpty)
  }

  @Test func `A user with members of its own knows the refusals of the far end`() throws {
    let bench = try SharingBench(.all, home: nil)
    let anna = try bench.person(isReadOnly: false)
    let local = anna.controller.sharing
    local.begin(.one, home: { MemberName(given: "anna") }, answers: true)
    _ = local.join(Silent()) {
      Roster.Member(
        id: $0, name: MemberName(given: "bert"), answers: true, takesFreePen: false, mayTake: true)
    }
    bench.controller.sharing.refusals = noBreak
    #expect(try bench.wait { anna.sharing.refusals == noBreak })
  }

  private final class Silent: Participant {
    func resumeWriting() {}
    func revoke() {}
    func rosterDidChange(_ event: Roster.Event) {}
    func end(because reason: String) {}
  }

  // MARK: The owner's side

  @Test func `What the owner refuses is not performed`() throws {
    let bench = try SharingBench(.all, home: nil)
    let client = try bench.client(.rfc2217)
    let before = (bench.link.settings, bench.link.lines)
    let refusal = Sharing.Refusal(code: "x", text: "refused")
    bench.controller.sharing.refusals = [
      .breaks: refusal, .modemLines: refusal, .settings: refusal,
    ]
    func askForAll() throws {
      try client.ask(1, 0, 0, 37, 128)
      for control: UInt8 in [2, 9, 12, 5] { try client.ask(5, control) }
      try client.send("\n")
    }
    try askForAll()
    #expect(try bench.wait { bench.sent.count == 1 })
    #expect(bench.link.settings == before.0 && bench.link.lines == before.1)
    #expect(bench.link.breaks.isEmpty)
    bench.controller.sharing.refusals = [:]
    try askForAll()
    #expect(try bench.wait { bench.sent.count == 2 })
    #expect(bench.link.settings.baudRate == 9_600 && bench.link.settings.flowControl == .soft)
    #expect(bench.link.lines == [] && bench.link.breaks == [true])
  }

  @Test func `The session keeps the settings for a port that is not open`() throws {
    let bench = try SharingBench(.all, home: nil)
    let client = try bench.client(.rfc2217)
    bench.controller.session.deviceDidDisappear()
    let refusal = Sharing.Refusal(code: "x", text: "refused")
    bench.controller.sharing.refusals = [.openPort: refusal, .settings: refusal]
    try client.ask(1, 0, 0, 37, 128)
    #expect(try bench.wait { bench.controller.session.requestedSettings.baudRate == 9_600 })
  }

  /// The name of what is being played is the reason, as in the program.
  private func refuseWhilePlaying(_ bench: SharingBench) -> AnyObject {
    bench.controller.sequences.$playing.observe {
      bench.controller.sharing.refusals[.noSequence] = $0.new.map {
        .init(code: "playing", text: "\($0) is playing")
      }
    }
  }

  @Test func `A member's sequence does not stop that of the owner, and gets its reason`() throws {
    let bench = try SharingBench(.all, home: nil)
    let token = refuseWhilePlaying(bench)
    let anna = try bench.viewer(named: "anna")
    bench.controller.sequences.play(
      try LineSequence(parsing: "rts=off,wait=10000"), named: "esp32"
    ) { _ in }
    #expect(try bench.wait { anna.sharing.refusals[.noSequence]?.text == "esp32 is playing" })
    var end: Result<Void, SerialError>?
    anna.controller.session.play(try LineSequence(parsing: "dtr=off")) { end = $0 }
    #expect(try bench.wait { end != nil })
    guard case .failure(let error)? = end else {
      Issue.record("it was played")
      return
    }
    #expect("\(error)".contains("esp32 is playing"))
    #expect(bench.controller.sequences.playing == "esp32" && bench.link.lines == .dtr)
    bench.controller.sequences.stop()
    #expect(try bench.wait { anna.sharing.refusals == Sharing.Refusal.initial })
    withExtendedLifetime(token) {}
  }

  @Test
  func `A member is not refused because of its own sequence, and the others are until it ends`()
    throws
  {
    let bench = try SharingBench(.all, home: nil)
    let token = refuseWhilePlaying(bench)
    let (anna, bert) = (try bench.viewer(named: "anna"), try bench.viewer(named: "bert"))
    let sequence = try LineSequence(parsing: "rts=off,wait=50,rts=on")
    var ends: [Bool] = []
    var refusals: [Refusals] = []
    let changes = anna.controller.userSharing.$sharing.observe { refusals.append($0.new.refusals) }
    // Each one begins as soon as the one before is answered.
    func play(_ count: Int) {
      guard count > 0 else { return }
      anna.controller.session.play(sequence) {
        if case .success = $0 { ends.append(anna.sharing.refusals == Sharing.Refusal.initial) }
        play(count - 1)
      }
    }
    play(3)
    #expect(try bench.wait { bert.sharing.refusals.count == 2 })
    #expect(try bench.wait { ends.count == 3 })
    #expect(ends == [true, true, true])
    let seen = refusals.filter { $0 != Sharing.Refusal.initial }
    #expect(seen == [])
    #expect(try bench.wait { bert.sharing.refusals == Sharing.Refusal.initial })
    withExtendedLifetime((token, changes)) {}
  }
}
