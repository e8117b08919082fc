/// Whether a command is available; if not, the reason.
enum Availability: Hashable {
  case enabled
  case disabled(because: String)
}

extension [Need] {
  /// Whether a state meets all conditions. This is a pure function, and the only code that decides whether a command
  /// is available.
  func availability(in state: TerminalState) -> Availability {
    unmet(in: state).map { .disabled(because: $0) } ?? .enabled
  }
}
