/// Whether a command is available, and why not.
enum Availability: Hashable {
  case enabled
  case disabled(because: String)
}

extension Command {
  /// Whether the command is available in a state. A pure function, and the only place that decides it.
  func availability(in state: TerminalState) -> Availability {
    entry.needs.unmet(in: state).map { .disabled(because: $0) } ?? .enabled
  }
}
