extension Command {
  /// A command with which a user switches a part of the state on or off.
  static func toggle(
    _ key: Character?, _ name: String, _ summary: String, or synonyms: [String], needs: [Need],
    _ part: any WritableKeyPath<TerminalState, Bool> & Sendable
  ) -> Command {
    Command(
      key, name, summary, or: synonyms, needs: needs, value: { $0[keyPath: part].onOff }
    ) { call, _ in
      call.port.model.update { $0[keyPath: part].toggle() }
      call.answer(.done("\(name) is \(call.state[keyPath: part].onOff)."))
    }
  }
}

extension Bool {
  /// The state of a switch in words.
  var onOff: String { self ? "on" : "off" }
}
