import SerialCore

/// Something that must be so for a command to make sense.
enum Need {
  /// The session has a device, though it may not be there, or be released.
  case device
  /// The session has its device, and the port is open.
  case openPort
  /// The session may send at all.
  case sending
  /// The port can hold the line in a break.
  case breaks
  /// The port has modem lines.
  case modemLines
  /// A file is being sent.
  case transfer
  /// No file is being sent.
  case noTransfer
  /// What the device sends is shown on a terminal.
  case screen
  /// It is a terminal that can draw anywhere on its screen.
  case drawing
  /// What is shown may have colours.
  case colours
  /// What the device sends is made harmless before it is shown.
  case filtered
  /// There is a command that what is shown can pass.
  case filter

  /// Why a state does not meet the need; nil when it does.
  func unmet(in state: TerminalState) -> String? {
    switch self {
    case .device:
      switch state.session {
      case .open, .waitingForDevice, .released: nil
      case .opening: "the port is being opened"
      case .closed: "no device"
      }
    case .openPort:
      switch state.session {
      case .open: nil
      case .opening: "the port is being opened"
      case .waitingForDevice, .closed: "no device"
      case .released: "the port is released"
      }
    case .sending: state.isReadOnly ? "read-only" : nil
    case .breaks: state.capabilities.contains(.breaks) ? nil : "this port has no break"
    case .modemLines:
      state.capabilities.contains(.modemLines) ? nil : "this port has no modem lines"
    case .transfer: state.transfer == nil ? "no file is being sent" : nil
    case .noTransfer: state.transfer.map { "\($0.name) is being sent" }
    case .screen: state.screen == .none ? "the output is not a terminal" : nil
    case .colours: state.hasColours ? nil : "no colours: NO_COLOR or TERM"
    case .filtered: state.view.isRaw ? "--raw leaves the terminal to the device" : nil
    case .filter: state.filter == nil ? "no --filter was given" : nil
    case .drawing:
      switch state.screen {
      case .none: "the output is not a terminal"
      case .printing: "this terminal can only print"
      case .drawing: nil
      }
    }
  }
}
