import SerialCore
import Terminal
import TerminalWidgets

/// The commands for breaks and modem lines.
extension Command {
  static let sendBreak = CommandWithArgument(
    "b", "break", "send a break", or: ["serial break", "sysrq", "attention", "interrupt"],
    users: .everyone, needs: [.changing, .openPort, .sending, .pen, .breaks],
    argument: .milliseconds(1...10_000, unlessGiven: LineCommands.breakLength)
  ) { length, call in
    call.port.lineCommands.sendBreak(for: length, then: call.answer)
  }

  static let toggleLine = CommandWithArgument(
    "g", "toggle-line", "toggle DTR or RTS", or: ["dtr", "rts", "modem line", "set dtr"],
    users: .everyone, needs: [.changing, .openPort, .sending, .pen, .modemLines],
    value: \.modemLinesInWords,
    argument: ArgumentKind.outputLine("line to toggle").map { LineChange(toggling: $0) }
  ) { change, call in
    call.answer(call.port.lineCommands.perform(change))
  }

  static let pulseLine = CommandWithArgument(
    "p", "pulse-line", "pulse DTR or RTS", or: ["reset", "reboot", "restart board"],
    users: .everyone, needs: [.changing, .openPort, .sending, .pen, .modemLines],
    value: \.modemLinesInWords,
    argument: ArgumentKind.outputLine("line to pulse").map { LinePulse($0) }
  ) { pulse, call in
    call.port.lineCommands.perform(pulse, then: call.answer)
  }

  static let showLines = Command(
    "L", "lines", "show the modem lines",
    or: ["modem lines", "signals", "cts", "dsr", "dcd", "ri", "carrier"],
    users: .exceptAgents, needs: [.openPort, .modemLines], value: \.modemLinesInWords
  ) { call in
    call.answer(call.port.lineCommands.showLines())
  }
}

/// A change of the output lines. The sets are disjoint.
struct LineChange: Hashable, Sendable {
  var asserting: ModemLines = []
  var deasserting: ModemLines = []
  var toggling: ModemLines = []
}

/// A line that is toggled for a moment.
struct LinePulse: Hashable, Sendable {
  let line: ModemLines
  let length: Duration

  init(_ line: ModemLines, for length: Duration = LineCommands.pulseLength) {
    self.line = line
    self.length = length
  }
}

extension ArgumentKind where Value == ModemLines {
  /// One of the output lines, DTR or RTS.
  fileprivate static func outputLine(_ title: String) -> ArgumentKind {
    let outputs = ModemLines.named.filter { ModemLines.outputs.contains($0.line) }
    return ArgumentKind(
      .choice(of: outputs.map { $0.name.lowercased() }, "dtr or rts"),
      parse: { text in outputs.first { $0.name.lowercased() == text.lowercased() }?.line },
      ask: { request, then in
        request.call.port.session.refreshModemLines()
        request.ask(
          Question(
            title: title,
            choices: { [model = request.model] _ in
              [.noChange("")]
                + outputs.map { name, line in
                  let isAsserted = model.state.modemLines?.contains(line) ?? false
                  return Choice<ModemLines?>(
                    id: line, title: name, detail: isAsserted.onOff)
                }
            },
            onAnswer: { line in
              if let line { then(line) }
            }))
      })
  }
}

extension TerminalState {
  fileprivate var modemLinesInWords: String? { modemLines.map { "\($0)" } }
}
