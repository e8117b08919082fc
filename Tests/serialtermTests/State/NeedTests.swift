import Observing
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TerminalWidgets
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct NeedTests {
  private static let port = Endpoint.tty("/dev/ttyUSB0")
  private static let error = SerialError(.lost, in: "read", at: port)

  /// Every kind of state in which a command can be given.
  enum Situation: CaseIterable {
    case closed, opening, open, openReadOnly, openPseudoTerminal, openWithoutSettings
    case openWithoutScreen, openOnPrinter, openWithoutColours, openRaw, openFiltered
    case openWithoutScrollback
    case transferring, scripted, tapped
    case sendingNumbers, plotting
    case shared, watching, watchingReadOnly, watchingForGood, joinedWithoutDevice
    case waiting, waitingReadOnly, released

    private static let max = Sharing.Person(id: 1, name: "max", answers: true)

    var state: TerminalState {
      var state = TerminalState()
      switch self {
      case .closed: break
      case .opening: state.session = .opening(port, after: nil)
      case .open, .openReadOnly, .openPseudoTerminal, .openWithoutSettings, .openWithoutScreen,
        .openOnPrinter,
        .openWithoutColours, .openRaw, .openFiltered, .openWithoutScrollback, .transferring,
        .scripted, .tapped, .sendingNumbers, .plotting, .shared, .watching, .watchingReadOnly,
        .watchingForGood, .joinedWithoutDevice:
        state.session = .open(port, LineSettings())
        state.capabilities = [.settings, .breaks, .modemLines, .counters]
      case .waiting, .waitingReadOnly: state.session = .waitingForDevice(port, .lost(error))
      case .released: state.session = .released(port)
      }
      state.keepsScrollback = self != .openWithoutScrollback
      switch self {
      case .openReadOnly, .waitingReadOnly: state.isReadOnly = true
      case .openPseudoTerminal: state.capabilities = [.settings, .backPressure]
      case .openWithoutSettings: state.capabilities = [.backPressure]
      case .openWithoutScreen: state.screen = .none
      case .openOnPrinter: state.screen = .printing
      case .openWithoutColours: state.hasColours = false
      case .openRaw: state.view.isRaw = true
      case .openFiltered: state.filter = "cat"
      case .scripted: state.user = .script
      case .tapped: (state.tapWords, state.isReadOnly) = (["tap", "a", "b"], true)
      case .sendingNumbers: state.seesNumbers = true
      case .plotting: (state.seesNumbers, state.showsPlot) = (true, true)
      case .shared:
        state.sharing.others = [Self.max]
        state.sharing.addresses = ["127.0.0.1:4000"]
      case .watching, .watchingReadOnly:
        state.isReadOnly = self == .watchingReadOnly
        state.sharing.ownName = "anna"
        state.sharing.others = [Self.max]
        state.sharing.pen = .others(Self.max)
        state.sharing.isJoined = true
      case .watchingForGood:
        state.sharing.pen = .nobody
        state.sharing.isJoined = true
      case .joinedWithoutDevice:
        state.sharing.portTrouble = .waiting
        state.sharing.isJoined = true
      case .transferring: state.exchange = .file("image.bin")
      case .closed, .opening, .open, .openWithoutScrollback, .waiting, .released: break
      }
      return state
    }
  }

  /// The expected reason why a command is unavailable, for every command and situation; nil if it
  /// is available. It is written by hand. A command without an entry fails the tests.
  private func expectation(_ command: String, _ situation: Situation) -> String? {
    switch command {
    case "configuration", "statistics", "log", "mark": nil
    case "help", "palette", "quit", "mapping", "input-map": withoutUser(situation)
    case "read-only":
      withoutUser(situation) ?? tapped(situation)
        ?? (situation == .transferring ? "image.bin is being sent" : nil)
    case "clear", "hex", "frames", "encoding", "timestamps", "timestamp-format", "raw":
      withoutUser(situation) ?? withoutScreen(situation)
    case "show", "hide", "level", "collapse":
      withoutUser(situation) ?? withoutScreen(situation)
        ?? (situation == .openRaw ? "raw is on" : nil)
    case "highlight":
      withoutUser(situation) ?? withoutScreen(situation)
        ?? [.openWithoutColours: "no colours: NO_COLOR or TERM", .openRaw: "raw is on"][situation]
    case "filter":
      withoutUser(situation) ?? withoutScreen(situation)
        ?? (situation == .openFiltered ? nil : "no --filter")
    case "search", "write-text", "pause":
      withoutUser(situation) ?? withoutScreen(situation)
        ?? (situation == .openWithoutScrollback ? "the scrollback is off: --scrollback is 0" : nil)
    case "plot":
      withoutUser(situation) ?? withoutScreen(situation)
        ?? (situation == .openRaw ? "raw is on" : nil)
        ?? ([.sendingNumbers, .plotting].contains(situation) ? nil : "no numbers seen yet")
    case "plot-form", "plot-match": withoutUser(situation) ?? withoutScreen(situation)
    case "write-plot": withoutUser(situation) ?? (situation == .plotting ? nil : "no plot is open")
    case "status-line": withoutUser(situation) ?? withoutDrawing(situation)
    case "line-input", "hex-input":
      withoutUser(situation) ?? unsendable(situation) ?? withoutDrawing(situation)
    case "pen":
      alone(situation)
        ?? [.watchingForGood: "nobody writes here", .watchingReadOnly: "read-only"][situation]
    case "take-pen":
      alone(situation)
        ?? [
          .watchingForGood: "nobody writes here", .watchingReadOnly: "read-only",
          .shared: "you have the pen", .joinedWithoutDevice: "you have the pen",
        ][situation]
    case "who": nil
    case "name":
      alone(situation)
        ?? ([.watchingForGood, .joinedWithoutDevice].contains(situation)
          ? "the session is of an older version" : nil)
    case "share", "log-share": joined(situation)
    case "stop-sharing": joined(situation) ?? (situation == .shared ? nil : "not served")
    case "release":
      joined(situation)
        ?? [
          .closed: "no device", .opening: "the port is opening",
          .transferring: "image.bin is being sent",
          .scripted: "in use by a script; released when it finishes",
        ][situation]
    case "terminal-size":
      withoutUser(situation) ?? withoutPort(situation) ?? unsendable(situation)
        ?? withoutPen(situation)
        ?? (situation == .transferring ? "image.bin is being sent" : nil)
        ?? withoutScreen(situation)
    case "follow-size":
      withoutUser(situation) ?? unsendable(situation) ?? withoutScreen(situation)
    case "save-profile":
      withoutUser(situation) ?? tapped(situation)
        ?? [.closed: "no device", .opening: "the port is opening"][situation]
    case "copy-settings": [.closed: "no device", .opening: "the port is opening"][situation]
    case "reconnect": joined(situation) ?? withoutPort(situation)
    case "next-port", "port", "send-to-all": withoutUser(situation) ?? "only 1 port"
    case "connect-to":
      withoutUser(situation) ?? withoutScreen(situation) ?? tapped(situation) ?? "no free port"
    case "baud", "data-bits", "parity", "stop-bits", "flow":
      withoutPort(situation) ?? withoutPen(situation)
        ?? (situation == .openWithoutSettings ? "this port has no line settings" : nil)
    case "lines":
      withoutPort(situation) ?? withoutLines(situation)
    case "break":
      withoutPort(situation) ?? unsendable(situation) ?? withoutPen(situation)
        ?? (hasOnlyBytes(situation) ? "this port has no break" : nil)
    case "toggle-line", "pulse-line":
      withoutPort(situation) ?? unsendable(situation) ?? withoutPen(situation)
        ?? withoutLines(situation)
    case "sequence":
      withoutPort(situation) ?? unsendable(situation) ?? withoutPen(situation)
        ?? (situation == .transferring ? "image.bin is being sent" : nil) ?? withoutLines(situation)
    case "repeat":
      withoutPort(situation) ?? unsendable(situation) ?? withoutPen(situation)
        ?? (situation == .transferring ? "image.bin is being sent" : nil)
    case "send-file", "receive-files", "run-script", "run-command":
      withoutUser(situation) ?? withoutPort(situation) ?? unsendable(situation)
        ?? withoutPen(situation)
        ?? (situation == .transferring ? "image.bin is being sent" : nil)
    case "stop": situation == .transferring ? nil : "nothing runs"
    case "answer":
      withoutUser(situation) ?? unsendable(situation) ?? withoutDrawing(situation)
        ?? (situation == .openRaw ? "raw is on" : nil)
    case "local-echo", "line-ending", "output-map", "checksum":
      withoutUser(situation) ?? unsendable(situation)
    default: "nobody has decided"
    }
  }

  private func withoutUser(_ situation: Situation) -> String? {
    situation == .scripted ? "there is no user" : nil
  }

  private func withoutScreen(_ situation: Situation) -> String? {
    situation == .openWithoutScreen ? "the output is not a terminal" : nil
  }

  private func hasOnlyBytes(_ situation: Situation) -> Bool {
    situation == .openPseudoTerminal || situation == .openWithoutSettings
  }

  private func withoutPort(_ situation: Situation) -> String? {
    switch situation {
    case .closed, .waiting, .waitingReadOnly: "no device"
    case .opening: "the port is opening"
    case .released: "port released"
    case .joinedWithoutDevice: "no device"
    case .open, .openReadOnly, .openPseudoTerminal, .openWithoutSettings, .openWithoutScreen,
      .openOnPrinter,
      .openWithoutColours, .openRaw, .openFiltered, .openWithoutScrollback, .transferring,
      .scripted, .tapped, .sendingNumbers, .plotting, .shared, .watching, .watchingReadOnly,
      .watchingForGood:
      nil
    }
  }

  private func unsendable(_ situation: Situation) -> String? {
    switch situation {
    case .openReadOnly, .waitingReadOnly, .watchingReadOnly: "read-only"
    case .tapped: "a tap sends nothing"
    case .closed, .opening, .open, .openPseudoTerminal, .openWithoutSettings, .openWithoutScreen,
      .openOnPrinter,
      .openWithoutColours, .openRaw, .openFiltered, .openWithoutScrollback, .transferring,
      .scripted, .sendingNumbers, .plotting, .waiting, .released, .shared, .watching,
      .watchingForGood, .joinedWithoutDevice:
      nil
    }
  }

  /// The expected reason while another member has the pen.
  private func withoutPen(_ situation: Situation) -> String? {
    [
      .watching: "max has the pen", .watchingReadOnly: "max has the pen",
      .watchingForGood: "you only watch",
    ][situation]
  }

  private func joined(_ situation: Situation) -> String? {
    [.watching, .watchingReadOnly, .watchingForGood, .joinedWithoutDevice].contains(situation)
      ? "joined session" : nil
  }

  private func alone(_ situation: Situation) -> String? {
    [.shared, .watching, .watchingReadOnly, .watchingForGood, .joinedWithoutDevice]
      .contains(situation)
      ? nil : "nobody else is here"
  }

  private func tapped(_ situation: Situation) -> String? {
    situation == .tapped ? "a tap sends nothing" : nil
  }

  private func withoutDrawing(_ situation: Situation) -> String? {
    switch situation {
    case .openWithoutScreen: "the output is not a terminal"
    case .openOnPrinter: "this terminal cannot draw"
    case .closed, .opening, .open, .openReadOnly, .openPseudoTerminal, .openWithoutSettings,
      .openWithoutColours,
      .openRaw, .openFiltered, .openWithoutScrollback, .transferring, .scripted, .tapped,
      .sendingNumbers,
      .plotting, .waiting,
      .waitingReadOnly, .released, .shared, .watching, .watchingReadOnly, .watchingForGood,
      .joinedWithoutDevice:
      nil
    }
  }

  private func withoutLines(_ situation: Situation) -> String? {
    hasOnlyBytes(situation) ? "this port has no modem lines" : nil
  }

  @Test func everyCommand_inEverySituation_isOnOrSaysWhyNot() {
    for command in Command.all {
      for situation in Situation.allCases {
        #expect(
          command.needs.unmet(in: situation.state)?.text == expectation(command.name, situation),
          "\(command.name) in \(situation)")
      }
    }
  }

  @Test func `Who may use a command is published as it holds`() {
    for command in Command.all {
      let users = command.needs.filter { if case .users = $0 { true } else { false } }
      #expect(users == [.users(command.users)], "\(command.name)")
    }
  }

  @Test func `Who is alone at the port of a server can ask for a pen that nobody has`() {
    var state = Situation.open.state
    #expect(Need.others.unmet(in: state) == .alone)
    state.sharing.pen = .free
    #expect(Need.others.unmet(in: state) == nil)
  }

  @Test func `Several ports share the screen, so that no device has it for itself`() {
    var state = Situation.open.state
    #expect(ViewParameters.raw.command.refusal(in: state) == nil)
    state.program.ports = ["a", "b"]
    #expect(ViewParameters.raw.command.refusal(in: state) == .severalPorts)
  }

  @Test func palette_hasEveryCommandButItself_withItsReason() {
    let choices = CommandList.choices(in: Situation.openReadOnly.state)
    #expect(choices.count == Command.all.count - 1)
    #expect(choices.first { $0.name == "send-file" }?.refusal == "read-only")
    #expect(choices.first { $0.name == "baud" }?.refusal == nil)
    #expect(choices.first { $0.name == "baud" }?.detail == "115200")
    #expect(choices.first { $0.name == "break" }?.label == "b")
  }

  @Test func model_tellsOfChanges_withOldAndNewState() {
    let model = TerminalStateModel(TerminalState())
    var changes: [(Bool, Bool)] = []
    let token = model.$state.observe {
      changes.append(($0.old.echoesLocally, $0.new.echoesLocally))
    }
    model.update { $0.echoesLocally = true }
    model.update { $0.echoesLocally = true }
    #expect(changes.count == 1)
    #expect(changes.first! == (false, true))
    token.cancel()
  }
}
