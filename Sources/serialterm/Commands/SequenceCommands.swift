import SerialCore
import Sessions
import Terminal
import TerminalWidgets

/// The commands that play line sequences.
extension Command {
  static let sequence = CommandWithArgument(
    nil, "sequence", "play a line sequence",
    or: ["bootloader", "reset board", "boot mode", "esp32", "rp2040", "avr", "stm32", "32u4"],
    users: .exceptAgents, needs: NamedSequence.needs + [.modemLines], argument: .sequence
  ) { named, call in
    named.play(for: call)
  }
}

extension NamedSequence {
  /// The conditions of every sequence.
  fileprivate static let needs: [Need] = [
    .changing, .openPort, .sending, .pen, .noExchange, .noSequence,
  ]

  /// The command that plays the sequence.
  var command: Command {
    Command(
      nil, Self.commandPrefix + name, "", or: [name, "sequence"], users: .exceptAgents,
      needs: needs,
      value: { _ in "\(sequence)".shortened(to: 40) }
    ) { call in
      play(for: call)
    }
  }

  /// The conditions of this sequence, which depend on its steps.
  fileprivate var needs: [Need] {
    var needs = Self.needs
    for step in sequence {
      let need: Need? =
        switch step {
        case .set: .modemLines
        case .setBreak: .breaks
        case .setBaudRate: .settings
        case .wait: nil
        }
      if let need, !needs.contains(need) { needs.append(need) }
    }
    return needs
  }

  /// Plays the sequence, and answers when it has ended.
  fileprivate func play(for call: CommandCall) {
    call.when(needs) {
      call.port.sequences.play(sequence, named: name) { [port = call.port] end in
        call.answer(outcome(of: end, at: port))
      }
    }
  }

  private func outcome(of end: SequencePlayer.End, at port: Port) -> CommandOutcome {
    switch end {
    case .done: .done("\(name) was played.")
    case .failed(let step, let error):
      .failed("\(name) failed at \(step): \(Failure(error).message)")
    case .stopped: .done("\(name) was stopped. \(port.lineCommands.showLines().message)")
    case .portClosed: .done("\(name) ended with the port.")
    }
  }
}

extension ArgumentKind where Value == NamedSequence {
  /// A sequence: one of the configuration, a built-in one, or typed steps.
  fileprivate static let sequence = ArgumentKind(
    ArgumentForm("the name of a sequence, or steps such as dtr=off,wait=100,dtr=on").with {
      $0.choices = { known(in: $0).map(\.name) }
    },
    parse: { try? NamedSequence(parsing: $0) },
    ask: { request, then in
      request.ask(
        Question(
          title: "sequence",
          choices: { [model = request.model] typed in choices(typed: typed, in: model.state) },
          onAnswer: then))
    })

  /// The sequences of the configuration, then those that are built in.
  private static func known(in state: TerminalState) -> [NamedSequence] {
    let ready = ReadySequence.allCases.map { NamedSequence($0.rawValue, $0.sequence) }
    let own = state.sequences
    return own + ready.filter { ready in !own.contains { $0.name == ready.name } }
  }

  private static func choices(
    typed: String, in state: TerminalState
  ) -> [Choice<NamedSequence>] {
    if let steps = try? LineSequence(parsing: typed) {
      let named = NamedSequence(typed, steps)
      return [Choice(id: named, title: typed, refusal: named.needs.unmet(in: state)?.text)]
    }
    return known(in: state).map { named in
      Choice(
        id: named, title: named.name, detail: "\(named.sequence)",
        refusal: named.needs.unmet(in: state)?.text)
    }
  }
}
