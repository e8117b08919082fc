import EventLoop
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Testing
import Time

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct LineCommandsTests {
  private let path = Endpoint.tty("/dev/ttyTEST")
  private let loop: IOLoop
  private let link: FakeLink
  private let session: Session
  private let model: TerminalStateModel
  private let commands: LineCommands

  init() throws {
    loop = try IOLoop()
    let link = FakeLink(to: path)
    self.link = link
    session = Session(settings: LineSettings()) { _ in link }
    model = TerminalStateModel(TerminalState())
    model.followSession(session)
    commands = LineCommands(session, model, on: loop)
    try session.open(path)
  }

  /// Runs the loop until an outcome was reported.
  private func outcome(of begin: (@escaping (CommandOutcome) -> Void) -> Void) throws
    -> CommandOutcome
  {
    var outcome: CommandOutcome?
    begin { outcome = $0 }
    let deadline = MonotonicTime.now + .seconds(60)
    while outcome == nil, MonotonicTime.now < deadline { try loop.turn() }
    return try #require(outcome)
  }

  @Test func settings_areAnsweredAsTheDriverTookThem() throws {
    let outcome = try outcome {
      commands.perform(SettingsChange(\.baudRate, to: 9600), then: $0)
    }
    #expect(outcome == .done("Now 9600 8N1."))
    #expect(link.settings.baudRate == 9600)
    #expect(model.state.requestedSettings.baudRate == 9600)
  }

  @Test func settingsThatAreChangedLate_areAnsweredThen() throws {
    link.changesLate = true
    var outcome: CommandOutcome?
    commands.perform(SettingsChange(\.baudRate, to: 9600)) { outcome = $0 }
    #expect(outcome == nil)
    #expect(model.state.requestedSettings == LineSettings(), "not before the port has them")
    link.finishChange()
    #expect(outcome == .done("Now 9600 8N1."))
    #expect(model.state.requestedSettings.baudRate == 9600)
  }

  @Test func settingsThatTheDriverRefuses_stayAsTheyWere() throws {
    link.error = SerialError(.settingRefused, in: "TCSETS2", at: path)
    let outcome = try outcome {
      commands.perform(SettingsChange(\.parity, to: .mark), then: $0)
    }
    #expect(outcome.message.hasSuffix("The settings stay as they were."))
    #expect(outcome.refusal != nil)
    #expect(session.requestedSettings == LineSettings())
    #expect(model.state.requestedSettings == LineSettings())
  }

  @Test func break_beginsAndEnds() throws {
    let outcome = try outcome { commands.sendBreak(for: .milliseconds(1), then: $0) }
    #expect(outcome == .done("Break sent."))
    #expect(link.breaks == [true, false])
  }

  @Test func break_endsWithTheCommands() {
    var outcomes: [CommandOutcome] = []
    commands.sendBreak(for: .seconds(60)) { outcomes.append($0) }
    #expect(link.breaks == [true])
    commands.end()
    #expect(link.breaks == [true, false])
    #expect(outcomes == [.done("Break sent.")])
  }

  @Test func breakAndPulse_end_whenAnotherMemberGetsThePen() throws {
    var outcomes: [CommandOutcome] = []
    let asserted = link.lines
    commands.sendBreak(for: .seconds(60)) { outcomes.append($0) }
    commands.perform(LinePulse(.rts, for: .seconds(60))) { outcomes.append($0) }
    #expect(link.breaks == [true] && link.lines != asserted)
    model.update { $0.sharing.pen = .others(.init(id: 1, name: "anna", answers: true)) }
    #expect(link.breaks == [true, false] && link.lines == asserted)
    #expect(outcomes.count == 2)
  }

  @Test func pulse_bringsTheLineBack() throws {
    let outcome = try outcome { commands.perform(LinePulse(.dtr), then: $0) }
    #expect(outcome == .done("DTR pulsed."))
    #expect(link.lines == [.dtr, .rts])
  }

  @Test func pulse_isPlayedAtTheFarEnd_whichEndsItWithThePen() throws {
    link.playsSequences = true
    var outcomes: [CommandOutcome] = []
    commands.perform(LinePulse(.dtr, for: .milliseconds(70))) { outcomes.append($0) }
    #expect(link.played == [try LineSequence(parsing: "dtr=off,wait=70,dtr=on")])
    #expect(outcomes.isEmpty)
    link.finishPlaying(.success(()))
    #expect(outcomes == [.done("DTR pulsed.")])
    commands.perform(LinePulse(.dtr)) { outcomes.append($0) }
    link.finishPlaying(.failure(SerialError(.unsupported, in: "stopped", at: path)))
    #expect(outcomes.count == 2 && outcomes.last?.refusal != nil)
  }

  @Test func pulse_bringsTheLineBack_alsoWhenNothingMayBeSentAnyMore() {
    var outcomes: [CommandOutcome] = []
    commands.perform(LinePulse(.rts)) { outcomes.append($0) }
    #expect(link.lines == [.dtr])
    model.update { $0.isReadOnly = true }
    commands.end()
    #expect(link.lines == [.dtr, .rts])
    #expect(outcomes == [.done("RTS pulsed.")])
  }

  @Test func lines_areToggledAndShown() {
    let toggled = commands.perform(LineChange(toggling: .dtr))
    #expect(toggled.message.hasPrefix("DTR off, RTS on"))
    let set = commands.perform(LineChange(asserting: .dtr, deasserting: .rts))
    #expect(set == commands.showLines())
    #expect(link.lines == .dtr)
  }
}
