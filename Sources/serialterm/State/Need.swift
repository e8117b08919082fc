import SerialCore
import Sessions
import Telnet
import Terminal

/// A condition of a command.
///
/// The reasons are shown in lists. A reason of up to 12 characters leaves room for a second column
/// on a screen of 80 columns.
enum Need {
  /// The session has found its device, which may be unplugged now, or the port released.
  case knownDevice
  /// The port is open.
  case openPort
  /// The session may send.
  case sending
  /// The user may decide who sends: the port is not joined with another one.
  case untapped
  /// The settings of the line can be changed.
  case settings
  /// The port can send breaks.
  case breaks
  /// The port has modem lines.
  case modemLines
  /// A user, not a script, controls the session: the port can be released.
  case user
  /// A user is present, and can be asked questions.
  case interactive
  /// A file is being sent, a script or a program runs, a line sequence is being played, or a text
  /// is sent at intervals.
  case activity
  /// No file is being sent, and no script and no program runs.
  case noExchange
  /// No line sequence is being played.
  case noSequence
  /// The program has several ports.
  case severalPorts
  /// No other port shares the screen.
  case onePort
  /// A device is plugged in that no session of the program uses.
  case anotherDevice
  /// The output is a terminal.
  case screen
  /// The output is a terminal that can draw anywhere on its screen.
  case drawing
  /// The output may have colours.
  case colours
  /// The device's escape sequences are filtered.
  case filtered
  /// The session has a filter command.
  case filter
  /// Received bytes are kept for the scrollback.
  case scrollback
  /// The device has sent numbers that can be plotted.
  case numbers
  /// The plot is on the screen.
  case plot
  /// The user may write to the device: no other member has the pen.
  case pen
  /// The session has other members, or clients can connect.
  case others
  /// The pen can move: no other member has it permanently.
  case movablePen
  /// The user may take the pen without asking.
  case takingPen
  /// The session belongs to this program, and is not joined.
  case ownSession
  /// The session accepts clients.
  case listening

  /// Why nobody can send to a port that is joined with another one.
  private static let tapReason = "a tap sends nothing"

  /// The conditions of all commands that send: typing, pasting, programs.
  static let toSend: [Need] = [.openPort, .sending, .pen, .noExchange]

  /// The reason why a state does not meet the condition; nil if it does.
  func unmet(in state: TerminalState) -> String? {
    switch self {
    case .knownDevice:
      switch state.session {
      case .open, .waitingForDevice, .released: nil
      case .opening: "the port is opening"
      case .closed: "no device"
      }
    case .openPort:
      switch state.session {
      case .open: state.sharing.portTrouble?.reason
      case .opening: "the port is opening"
      case .waitingForDevice, .closed: "no device"
      case .released: "port released"
      }
    case .pen: state.sharing.penReason
    case .others:
      // The only user of a server's port may still be without the pen.
      state.sharing.others.isEmpty && !state.sharing.isJoined && state.sharing.pen == .mine
        ? "nobody else is here" : nil
    case .movablePen where state.isTapped: Self.tapReason
    case .movablePen where state.isReadOnly: "read-only"
    case .movablePen:
      switch state.sharing.pen {
      case .everyone: "everyone writes"
      case .nobody: "nobody writes here"
      case .mine, .others, .free: nil
      }
    case .takingPen:
      state.sharing.pen == .mine
        ? "you have the pen" : state.sharing.mayTake ? nil : "not allowed here"
    case .ownSession: state.sharing.isJoined ? "joined session" : nil
    case .listening:
      state.sharing.addresses.isEmpty && state.pageLink == nil ? "not served" : nil
    case .user:
      state.isScripted && !state.isLending
        ? "in use by a script; released when it finishes" : nil
    case .interactive: state.isScripted ? "there is no user" : nil
    case .severalPorts: state.program.ports.count > 1 ? nil : "only 1 port"
    case .onePort: state.program.ports.count > 1 ? "several ports" : nil
    case .anotherDevice: state.program.otherDevices.isEmpty ? "no free port" : nil
    case .sending: state.isTapped ? Self.tapReason : state.isReadOnly ? "read-only" : nil
    case .untapped: state.isTapped ? Self.tapReason : nil
    case .settings:
      state.capabilities.contains(.settings) ? nil : "this port has no line settings"
    case .breaks: state.capabilities.contains(.breaks) ? nil : "this port has no break"
    case .modemLines:
      state.capabilities.contains(.modemLines) ? nil : "this port has no modem lines"
    case .activity:
      state.exchange == nil && state.playing == nil && state.repeating == nil
        ? "nothing runs" : nil
    case .noExchange: state.exchange?.activity
    case .noSequence: state.playing.map { "\($0) is playing" }
    case .screen: state.screen == .none ? "the output is not a terminal" : nil
    case .colours: state.hasColours ? nil : "no colours: NO_COLOR or TERM"
    case .filtered: state.view.isRaw ? "raw is on" : nil
    case .filter: state.filter == nil ? "no --filter" : nil
    case .scrollback: state.keepsScrollback ? nil : "the scrollback is off: --scrollback is 0"
    case .numbers: state.seesNumbers ? nil : "no numbers seen yet"
    case .plot: state.showsPlot ? nil : "no plot is open"
    case .drawing:
      switch state.screen {
      case .none: "the output is not a terminal"
      case .printing: "this terminal cannot draw"
      case .drawing: nil
      }
    }
  }
}

/// Whether a command is available; if not, the reason.
enum Availability: Hashable {
  case enabled
  case disabled(because: String)
}

extension [Need] {
  /// Whether a state meets all conditions. This is a pure function, and the only code that decides
  /// whether a command is available.
  func availability(in state: TerminalState) -> Availability {
    unmet(in: state).map { .disabled(because: $0) } ?? .enabled
  }

  /// The reason of the first condition that a state does not meet; nil if it meets all.
  func unmet(in state: TerminalState) -> String? { lazy.compactMap { $0.unmet(in: state) }.first }
}

extension Sharing {
  /// The reason why this user may not write; nil if the user may.
  var penReason: String? {
    switch pen {
    case .mine, .everyone: nil
    case .nobody: "you only watch"
    case .free: "you are only watching"
    case .others(let person): "\(person.name) has the pen"
    }
  }
}

extension SharingMessage.PortState {
  /// The reason why the port of a joined session cannot be used; nil if it is open.
  fileprivate var reason: String? {
    switch self {
    case .open: nil
    case .waiting: "no device"
    case .released: "port released"
    case .closed: "the session ends"
    }
  }
}
