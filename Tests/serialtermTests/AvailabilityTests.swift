import Observing
import SerialCore
import SystemPackage
import TerminalUI
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(5))) struct AvailabilityTests {
  private static let port = Endpoint.tty("/dev/ttyUSB0")
  private static let error = SerialError(.lost, in: "read", at: port)

  /// Every kind of state that a command can meet.
  enum Situation: CaseIterable {
    case closed, opening, open, openReadOnly, openPseudoTerminal, openWithoutSettings
    case openWithoutScreen, openOnPrinter, openWithoutColours, openRaw, openFiltered
    case transferring
    case waiting, waitingReadOnly, released

    var state: TerminalState {
      var state = TerminalState()
      switch self {
      case .closed: break
      case .opening: state.session = .opening(port, after: nil)
      case .open, .openReadOnly, .openPseudoTerminal, .openWithoutSettings, .openWithoutScreen,
        .openOnPrinter,
        .openWithoutColours, .openRaw, .openFiltered, .transferring:
        state.session = .open(port, LineSettings())
        state.capabilities = [.settings, .breaks, .modemLines, .counters]
      case .waiting, .waitingReadOnly: state.session = .waitingForDevice(port, .lost(error))
      case .released: state.session = .released(port)
      }
      switch self {
      case .openReadOnly, .waitingReadOnly: state.isReadOnly = true
      case .openPseudoTerminal: state.capabilities = [.settings, .backPressure]
      case .openWithoutSettings: state.capabilities = [.backPressure]
      case .openWithoutScreen: state.screen = .none
      case .openOnPrinter: state.screen = .printing
      case .openWithoutColours: state.hasColours = false
      case .openRaw: state.view.isRaw = true
      case .openFiltered: state.filter = "cat"
      case .transferring: state.writer = .file("image.bin")
      case .closed, .opening, .open, .waiting, .released: break
      }
      return state
    }
  }

  /// By hand, for every command and every situation: why it is off, or nil where it is on. A new
  /// command or situation does not compile before somebody has decided.
  private func expectation(_ command: Command, _ situation: Situation) -> String? {
    switch command {
    case .help, .palette, .quit, .showConfiguration, .statistics, .log, .mapping, .inputMap:
      nil
    case .readOnly:
      situation == .transferring ? "image.bin is being sent" : nil
    case .clearScreen, .hexView, .timestamps, .timestampFormat:
      situation == .openWithoutScreen ? "the output is not a terminal" : nil
    case .highlight:
      switch situation {
      case .openWithoutScreen: "the output is not a terminal"
      case .openWithoutColours: "no colours: NO_COLOR or TERM"
      case .openRaw: "--raw is on"
      case .closed, .opening, .open, .openReadOnly, .openPseudoTerminal, .openWithoutSettings,
        .openOnPrinter,
        .openFiltered, .transferring, .waiting, .waitingReadOnly, .released:
        nil
      }
    case .filter:
      situation == .openWithoutScreen
        ? "the output is not a terminal"
        : situation == .openFiltered ? nil : "no --filter"
    case .statusLine: withoutDrawing(situation)
    case .lineInput: unsendable(situation) ?? withoutDrawing(situation)
    case .release:
      switch situation {
      case .closed: "no device"
      case .opening: "the port is opening"
      case .transferring: "image.bin is being sent"
      case .open, .openReadOnly, .openPseudoTerminal, .openWithoutSettings, .openWithoutScreen,
        .openOnPrinter,
        .openWithoutColours, .openRaw, .openFiltered, .waiting, .waitingReadOnly, .released:
        nil
      }
    case .reconnect: withoutPort(situation)
    case .baudRate, .dataBits, .parity, .stopBits, .flowControl:
      withoutPort(situation)
        ?? (situation == .openWithoutSettings ? "this port has no line settings" : nil)
    case .showLines:
      withoutPort(situation) ?? withoutLines(situation)
    case .sendBreak:
      withoutPort(situation) ?? unsendable(situation)
        ?? (hasOnlyBytes(situation) ? "this port has no break" : nil)
    case .toggleLine, .pulseLine:
      withoutPort(situation) ?? unsendable(situation) ?? withoutLines(situation)
    case .sendFile:
      withoutPort(situation) ?? unsendable(situation)
        ?? (situation == .transferring ? "image.bin is being sent" : nil)
    case .stopSending:
      situation == .transferring ? nil : "no transfer"
    case .localEcho, .lineEnding, .outputMap:
      unsendable(situation)
    }
  }

  private func hasOnlyBytes(_ situation: Situation) -> Bool {
    situation == .openPseudoTerminal || situation == .openWithoutSettings
  }

  private func withoutPort(_ situation: Situation) -> String? {
    switch situation {
    case .closed, .waiting, .waitingReadOnly: "no device"
    case .opening: "the port is opening"
    case .released: "port released"
    case .open, .openReadOnly, .openPseudoTerminal, .openWithoutSettings, .openWithoutScreen,
      .openOnPrinter,
      .openWithoutColours, .openRaw, .openFiltered, .transferring:
      nil
    }
  }

  private func unsendable(_ situation: Situation) -> String? {
    switch situation {
    case .openReadOnly, .waitingReadOnly: "read-only"
    case .closed, .opening, .open, .openPseudoTerminal, .openWithoutSettings, .openWithoutScreen,
      .openOnPrinter,
      .openWithoutColours, .openRaw, .openFiltered, .transferring, .waiting, .released:
      nil
    }
  }

  private func withoutDrawing(_ situation: Situation) -> String? {
    switch situation {
    case .openWithoutScreen: "the output is not a terminal"
    case .openOnPrinter: "this terminal can only print"
    case .closed, .opening, .open, .openReadOnly, .openPseudoTerminal, .openWithoutSettings,
      .openWithoutColours,
      .openRaw, .openFiltered, .transferring, .waiting, .waitingReadOnly, .released:
      nil
    }
  }

  private func withoutLines(_ situation: Situation) -> String? {
    hasOnlyBytes(situation) ? "this port has no modem lines" : nil
  }

  @Test func everyCommand_inEverySituation_isOnOrSaysWhyNot() {
    for command in Command.allCases {
      for situation in Situation.allCases {
        let expected = expectation(command, situation).map { Availability.disabled(because: $0) }
        #expect(
          command.availability(in: situation.state) == expected ?? .enabled,
          "\(command) in \(situation)")
      }
    }
  }

  @Test func keysAreDistinct_andFoundAgain() {
    let keys = Command.allCases.compactMap(\.entry.key)
    #expect(Set(keys).count == keys.count)
    #expect(Set(Command.allCases.map(\.entry.name)).count == Command.allCases.count)
    for command in Command.allCases {
      guard let key = command.entry.key else { continue }
      #expect(key.asciiValue.flatMap(Command.init(key:)) == command)
    }
    #expect(Command(key: 0x7A) == nil)
  }

  @Test func palette_hasEveryCommandButItself_withItsReason() {
    let choices = CommandList.choices(in: Situation.openReadOnly.state)
    #expect(choices.count == Command.allCases.count - 1)
    #expect(choices.first { $0.name == "send-file" }?.refusal == "read-only")
    #expect(choices.first { $0.name == "baud" }?.refusal == nil)
    #expect(choices.first { $0.name == "baud" }?.detail == "115200")
    #expect(choices.first { $0.name == "break" }?.label == "b")
  }

  @Test func model_tellsOfChanges_withOldAndNewState() {
    let model = TerminalStateModel(TerminalState())
    var changes: [(Bool, Bool)] = []
    let token = model.changes.observe {
      changes.append(($0.old.echoesLocally, $0.new.echoesLocally))
    }
    model.update { $0.echoesLocally = true }
    model.update { $0.echoesLocally = true }
    #expect(changes.count == 1)
    #expect(changes.first! == (false, true))
    token.cancel()
  }
}
