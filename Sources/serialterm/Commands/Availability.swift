/// Whether a command is available, and why not.
enum Availability: Hashable {
  case enabled
  case disabled(because: String)
}

extension [Need] {
  /// Whether a state meets all conditions. A pure function, and the only place that decides whether a
  /// command is available.
  func availability(in state: TerminalState) -> Availability {
    unmet(in: state).map { .disabled(because: $0) } ?? .enabled
  }
}
