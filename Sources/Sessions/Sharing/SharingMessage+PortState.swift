package import SerialCore
package import Telnet

extension SharingMessage.PortState {
  /// The state for others.
  package init(_ state: SessionState) {
    self =
      switch state {
      case .open: .open
      case .waitingForDevice, .opening: .waiting
      case .released: .released
      case .closed: .closed
      }
  }

  /// The name for programs.
  package var name: String {
    switch self {
    case .open: "open"
    case .waiting: "waiting"
    case .released: "released"
    case .closed: "closed"
    }
  }

  /// The state with a name; nil if none has it.
  package init?(named name: String) {
    guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}
