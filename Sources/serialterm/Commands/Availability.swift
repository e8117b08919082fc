/// Whether a command can be used now, and why not.
enum Availability: Hashable {
  case enabled
  case disabled(because: String)
}

extension Command {
  /// Whether the command can be used in a state: a pure function, the only place that decides it.
  func availability(in state: TerminalState) -> Availability {
    for need in entry.needs {
      if let reason = need.unmet(in: state) { return .disabled(because: reason) }
    }
    return .enabled
  }
}
