import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd
import TransferProtocols
import Views

/// The observed state of a session: it decides which commands are available and what is shown.
struct TerminalState: Hashable {
  var session = SessionState.closed(nil)
  /// The requested settings of the line. ``session`` has the actual ones.
  var requestedSettings = LineSettings()
  /// What the open port can do besides transferring bytes.
  var capabilities: LineCapabilities = []
  /// The modem lines when they were last read.
  var modemLines: ModemLines?
  /// Whether bytes are waiting because the device does not accept them.
  var isHeld = false
  /// Whether the session sends nothing.
  var isReadOnly = false
  /// Whether a script or another program has the session, and no user.
  var isScripted = false
  /// Whether the session waits for a lost device.
  var reconnects = true
  /// Whether typed text is shown.
  var echoesLocally = false
  /// Whether a line is edited before it is sent.
  var editsLines = false
  /// The options that the configuration file sets, by their keys.
  var configuredKeys: Set<String> = []
  /// Where the settings come from.
  var origin = SessionOrigin()
  /// The texts that the user can send by name; each is a command.
  var snippets: [Snippet] = []
  /// The line sequences of the configuration; each is a command.
  var sequences: [NamedSequence] = []
  /// The name of the line sequence that is being played; nil for none.
  var playing: String?
  /// What Enter sends.
  var lineEnding = LineEnding.cr
  /// How the device's output is shown.
  var view = ViewSettings()
  /// The format of timestamps when they are switched on again.
  var lastTimestamps = TimestampFormat(.time)
  /// The shell command that filters the output, and whether it runs.
  var filter: String?
  var isFiltering = false
  /// What has the pen in place of the user or the pipe: a file, a script, a program.
  var exchange: Author?
  /// How far the ``exchange`` is.
  var progress: Progress?
  /// What a program on the device offers, or asks for; nil for nothing.
  var offer: DeviceOffer?
  /// The log file; nil while nothing is logged.
  var log: FilePath?
  /// The kind of the standard output.
  var screen = ScreenKind.drawing
  /// Whether the output may have colours.
  var hasColours = true
  /// The other ports of the program, and what is plugged in.
  var program = ProgramState()
  /// Whether what the device sent is kept to be searched.
  var keepsScrollback = false
  /// Whether the last line of the screen shows the state.
  var showsStatus = false
  /// Whether the far end is told the size of the window when it changes.
  var followsSize = false
  /// Who else is at the session, and who has the pen.
  var sharing = Sharing()

  /// Whether the modem lines are shown.
  var showsLines: Bool { showsStatus && screen == .drawing && modemLines != nil }

  /// Whether nothing is lost when the port is not read for a moment: flow control holds the device
  /// back, or the far end waits by itself. A UART without flow control overruns.
  var deviceCanWait: Bool {
    guard case .open(_, let settings) = session else { return false }
    return settings.flowControl != .none || capabilities.contains(.backPressure)
  }

  /// How far an exchange is.
  enum Progress: Hashable {
    /// The number of bytes of a file that the driver has accepted, and the file's size.
    case bytes(Int, of: Int)
    /// How far the files of a transfer are.
    case transfer(TransferStatus)
    /// The line of a script whose step is performed.
    case line(Int)
  }
}
