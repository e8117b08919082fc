import EventLoop
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(5))) struct LineCommandsTests {
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
    session.addObserver(model)
    commands = LineCommands(session, model, on: loop)
    try session.open(path)
  }

  /// Turns the loop until something was answered.
  private func outcome(of begin: (@escaping (CommandOutcome) -> Void) -> Void) throws
    -> CommandOutcome
  {
    var outcome: CommandOutcome?
    begin { outcome = $0 }
    let deadline = MonotonicTime.now + .seconds(10)
    while outcome == nil, MonotonicTime.now < deadline { try loop.turn() }
    return try #require(outcome)
  }

  @Test func settings_areAnsweredAsTheDriverTookThem() throws {
    let outcome = try outcome {
      commands.change(by: [.baudRate], { $0.baudRate = 9600 }, then: $0)
    }
    #expect(outcome == .done("Now 9600 8N1."))
    #expect(link.settings.baudRate == 9600)
    #expect(model.state.requestedSettings.baudRate == 9600)
  }

  @Test func settingsThatAreChangedLate_areAnsweredThen() throws {
    link.changesLate = true
    var outcome: CommandOutcome?
    commands.change(by: [.baudRate], { $0.baudRate = 9600 }) { outcome = $0 }
    #expect(outcome == nil)
    #expect(model.state.requestedSettings == LineSettings(), "not before the port has them")
    link.finishChange()
    #expect(outcome == .done("Now 9600 8N1."))
    #expect(model.state.requestedSettings.baudRate == 9600)
  }

  @Test func settingsThatTheDriverRefuses_stayAsTheyWere() throws {
    link.error = SerialError(.settingRefused, in: "TCSETS2", at: path)
    let outcome = try outcome { commands.change(by: [.parity], { $0.parity = .mark }, then: $0) }
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

  @Test func pulse_bringsTheLineBack() throws {
    let outcome = try outcome { commands.pulse(.dtr, then: $0) }
    #expect(outcome == .done("DTR pulsed."))
    #expect(link.lines == [.dtr, .rts])
  }

  @Test func pulse_bringsTheLineBack_alsoWhenNothingMayBeSentAnyMore() {
    var outcomes: [CommandOutcome] = []
    commands.pulse(.rts) { outcomes.append($0) }
    #expect(link.lines == [.dtr])
    model.update { $0.isReadOnly = true }
    commands.end()
    #expect(link.lines == [.dtr, .rts])
    #expect(outcomes == [.done("RTS pulsed.")])
  }

  @Test func lines_areToggledAndShown() {
    #expect(commands.toggle(.dtr).message.hasPrefix("DTR deasserted, RTS asserted"))
    #expect(commands.setLines(asserting: .dtr, deasserting: .rts) == commands.showLines())
    #expect(link.lines == .dtr)
  }

  /// Why a command is off is decided in one place, whatever the session itself would allow.
  @Test(arguments: AvailabilityTests.Situation.allCases)
  func everyCommand_isRefusedForTheReasonThatThePaletteShows(
    _ situation: AvailabilityTests.Situation
  ) {
    var outcomes: [(Command, CommandOutcome)] = []
    func attempt(_ command: Command, _ perform: (@escaping (CommandOutcome) -> Void) -> Void) {
      // The session corrects the state when it reports a change.
      model.update { $0 = situation.state }
      perform { outcomes.append((command, $0)) }
      commands.end()
    }
    for command in [Command.baudRate, .dataBits, .parity, .stopBits, .flowControl] {
      attempt(command) { commands.change(by: [command], { $0.baudRate += 1 }, then: $0) }
    }
    attempt(.toggleLine) { $0(commands.toggle(.dtr)) }
    attempt(.toggleLine) { $0(commands.setLines(asserting: .dtr, deasserting: [])) }
    attempt(.showLines) { $0(commands.showLines()) }
    attempt(.sendBreak) { commands.sendBreak(for: .seconds(60), then: $0) }
    attempt(.pulseLine) { commands.pulse(.rts, then: $0) }
    #expect(outcomes.count == 10)
    for (command, outcome) in outcomes {
      switch command.availability(in: situation.state) {
      case .enabled: #expect(outcome.refusal == nil, "\(command)")
      case .disabled(let reason):
        #expect(outcome == .unavailable(because: reason), "\(command)")
        #expect(outcome.message == "Not available: \(reason).")
      }
    }
  }
}
