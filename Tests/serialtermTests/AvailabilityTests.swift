import Observing
import SerialCore
import SystemPackage
import Testing

@testable import serialterm

@Suite struct AvailabilityTests {
  private static let port: FilePath = "/dev/ttyUSB0"
  private static let error = SerialError(.lost, in: "read", at: port)

  /// Every kind of state that a command can meet.
  enum Situation: CaseIterable {
    case closed, opening, open, waiting, openReadOnly, waitingReadOnly

    var state: TerminalState {
      var state = TerminalState()
      switch self {
      case .closed: break
      case .opening: state.session = .opening(port, after: nil)
      case .open, .openReadOnly: state.session = .open(port, LineSettings())
      case .waiting, .waitingReadOnly: state.session = .waitingForDevice(port, .lost(error))
      }
      switch self {
      case .openReadOnly, .waitingReadOnly: state.isReadOnly = true
      case .closed, .opening, .open, .waiting: break
      }
      return state
    }
  }

  private static let waitingReason = "no device: waiting for /dev/ttyUSB0"

  /// By hand, for every command and every situation: why it is off, or nil where it is on. A new
  /// command or situation does not compile before somebody has decided.
  private func expectation(_ command: Command, _ situation: Situation) -> String? {
    switch (command, situation) {
    case (.help, _), (.quit, _), (.showConfiguration, _), (.clearScreen, _), (.statistics, _):
      nil
    case (.reconnect, .closed): "no device"
    case (.reconnect, .opening): "the port is being opened"
    case (.reconnect, .open), (.reconnect, .openReadOnly): nil
    case (.reconnect, .waiting), (.reconnect, .waitingReadOnly): Self.waitingReason
    case (.sendBreak, .closed): "no device"
    case (.sendBreak, .opening): "the port is being opened"
    case (.sendBreak, .open): nil
    case (.sendBreak, .waiting), (.sendBreak, .waitingReadOnly): Self.waitingReason
    case (.sendBreak, .openReadOnly): "read-only"
    case (.localEcho, .openReadOnly), (.localEcho, .waitingReadOnly): "read-only"
    case (.localEcho, .closed), (.localEcho, .opening), (.localEcho, .open), (.localEcho, .waiting):
      nil
    }
  }

  @Test func everyCommand_inEverySituation_isOnOrSaysWhyNot() {
    for command in Command.allCases {
      for situation in Situation.allCases {
        let expected = expectation(command, situation).map { Availability.disabled(because: $0) }
        #expect(
          command.availability(in: situation.state) == expected ?? .enabled,
          "\(command) when \(situation)")
      }
    }
  }

  @Test func keysAreDistinct_andFoundAgain() {
    let keys = Command.allCases.map(\.entry.key)
    #expect(Set(keys).count == keys.count)
    for command in Command.allCases {
      #expect(command.entry.key.asciiValue.flatMap(Command.init(key:)) == command)
    }
    #expect(Command(key: 0x7A) == nil)
  }

  @Test func list_dimsWhatIsOff_andSaysWhy() {
    let list = CommandList(state: Situation.waiting.state, prefix: .standard)
    let plain = list.lines(style: .plain)
    #expect(plain.count == Command.allCases.count + 2)
    #expect(plain.contains { $0.contains("send a break") && $0.contains(Self.waitingReason) })
    #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
    let coloured = list.lines(style: TextStyle(isColoured: true))
    #expect(coloured.filter { $0.hasPrefix("\u{1B}[2m") }.count == 2)
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
