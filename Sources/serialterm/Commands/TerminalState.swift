import SerialCore
import SystemPackage

/// All that decides what a user may do, and how things are shown, as one value.
struct TerminalState: Hashable {
  var session = SessionState.closed(nil)
  /// What is asked of the line; what the driver took stands in ``session``.
  var requestedSettings = LineSettings()
  /// What the open port can do besides passing bytes.
  var capabilities: LineCapabilities = []
  /// The modem lines when they were last looked at.
  var modemLines: ModemLines?
  /// Whether bytes wait that the device does not take.
  var isHeld = false
  /// Whether nothing is ever sent.
  var isReadOnly = false
  /// Whether a lost device is waited for.
  var reconnects = true
  /// Whether what is typed is shown.
  var echoesLocally = false
  /// Whether a line is edited before it is sent.
  var editsLines = false
  /// How what the device sends is shown.
  var view = ViewSettings()
  /// The command that what is shown can pass, and whether it does.
  var filter: String?
  var isFiltering = false
  /// The file that is being sent.
  var transfer: Transfer?
  /// Where what is received is logged to.
  var log: FilePath?
  /// What shows what the device sends.
  var screen = ScreenKind.drawing
  /// Whether what is shown may have colours.
  var hasColours = true
  /// Whether the last line of the screen shows the state.
  var showsStatus = false

  /// Whether the modem lines are there and stand where somebody sees them.
  var showsLines: Bool { showsStatus && screen == .drawing && modemLines != nil }

  /// Whether nothing is lost when the device is not read for a moment: flow control holds it back,
  /// or it is a pseudo-terminal, which no hardware feeds. A UART goes on regardless.
  var deviceCanWait: Bool {
    guard case .open(_, let settings) = session else { return false }
    return settings.flowControl != .none || capabilities.isEmpty
  }

  /// What a standard output is good for.
  enum ScreenKind: Hashable {
    /// It is no terminal.
    case none
    /// A terminal that can only print.
    case printing
    /// A terminal on which lines can be drawn anywhere.
    case drawing
  }

  /// A file on its way to the device.
  struct Transfer: Hashable {
    let name: String
    /// In bytes.
    let size: Int
    /// How many bytes the driver has taken.
    var sentCount = 0
  }
}
