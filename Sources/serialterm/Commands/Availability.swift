import SerialCore

/// Something that must be so for a command to make sense.
enum Need {
  /// The session has its device, and the port is open.
  case openPort
  /// The session may send at all.
  case sending

  /// Why a state does not meet the need; nil when it does.
  func unmet(in state: TerminalState) -> String? {
    switch self {
    case .openPort:
      switch state.session {
      case .open: nil
      case .opening: "the port is being opened"
      case .waitingForDevice(let path, _): "no device: waiting for \(path)"
      case .closed: "no device"
      }
    case .sending:
      state.isReadOnly ? "read-only" : nil
    }
  }
}

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
