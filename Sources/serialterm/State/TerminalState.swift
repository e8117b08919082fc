import Framing
import Plotting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextStages
import TransferProtocols

/// The observed state of a session: it decides which commands are available and what is shown.
struct TerminalState: Hashable {
  var session = SessionState.closed(nil)
  /// The requested settings of the line. ``session`` has the actual ones.
  var requestedSettings = LineSettings()
  /// What the open port can do besides transferring bytes.
  var capabilities: LineCapabilities = []
  /// The modem lines at the last reading.
  var modemLines: ModemLines?
  /// Whether bytes are waiting because the device does not accept them.
  var isHeld = false
  /// What this program may do, by how a person has started it.
  var permission = Permission.everything
  /// Whether the session sends nothing.
  var isReadOnly = false
  /// The words of the command that has joined the port with another one; nil if it is not joined.
  var tapWords: [String]?
  /// What controls the session.
  var user = UserKind.person
  /// Whether the program that drives the session lends its port at present.
  var isLending = false
  /// Whether the session waits for a lost device.
  var reconnects = true
  /// Whether typed text is shown locally.
  var echoesLocally = false
  /// How typed keys are sent.
  var inputMode = InputMode.char
  /// The checksum that is appended to typed hexadecimal lines and to the user's texts; nil
  /// for none.
  var checksum: Checksum?
  /// The keys of the options that the configuration file sets.
  var configuredKeys: Set<String> = []
  /// The source of the settings.
  var origin = SessionOrigin()
  /// The texts that the user can send by name; each is a command.
  var snippets: [Snippet] = []
  /// The line sequences of the configuration; each is a command.
  var sequences: [NamedSequence] = []
  /// The name of the line sequence that is being played; nil if none is.
  var playing: String?
  /// The text that is sent at intervals; nil if none is.
  var repeating: Repetition?
  /// The bytes that Enter sends.
  var lineEnding = LineEnding.cr
  /// Which questions of the device are answered.
  var answers = TerminalAnswers.off
  /// How the device's output is shown.
  var view = ViewSettings()
  /// Whether the screen stands while the device goes on.
  var isPaused = false
  /// The format of timestamps when they are switched on again.
  var lastTimestamps = TimestampFormat(.time)
  /// The shell command that filters the output, and whether it runs.
  var filter: String?
  var isFiltering = false
  /// The author that has the pen instead of the user or the pipe: a file, a script, a program.
  var exchange: Author?
  /// The progress of the ``exchange``.
  var progress: Progress?
  /// A file transfer that the device offers or requests; nil for none.
  var offer: DeviceOffer?
  /// The log file; nil while nothing is logged.
  var log: FilePath?
  /// The log file of this port alone; nil while there is none.
  var ownLog: FilePath?
  /// Whether the members of the session may read ``ownLog``.
  var sharesLog = false
  /// The kind of the standard output.
  var screen = ScreenKind.drawing
  /// Whether the output may have colours.
  var hasColours = true
  /// The other ports of the program, and the plugged-in devices.
  var program = ProgramState()
  /// Whether received bytes are kept for searching.
  var keepsScrollback = false
  /// Whether the device has sent numbers that can be plotted.
  var seesNumbers = false
  /// Whether the plot is on the screen.
  var showsPlot = false
  /// The form in which numbers are read; nil to detect it.
  var plotForm: SampleForm?
  /// Whether the last line of the screen shows the state.
  var showsStatus = false
  /// Whether the far end gets the new size of the window when it changes.
  var followsSize = false
  /// The other members of the session, and the holder of the pen.
  var sharing = Sharing()
  /// The link to the page for browsers; nil if there is none.
  var pageLink: PageLink?

  /// Whether the port is joined with another one, which alone sends to it.
  var isTapped: Bool { tapWords != nil }

  /// Whether a line is edited before it is sent.
  var editsLines: Bool {
    get { inputMode != .char }
    set { inputMode = newValue ? .line : .char }
  }

  /// Whether the modem lines are shown.
  var showsLines: Bool { showsStatus && screen == .drawing && modemLines != nil }

  /// What a person permits a program.
  enum Permission {
    case everything
    /// To write, if a person confirms it, and nothing else.
    case writing
    case reading
  }

  /// The progress of an exchange.
  enum Progress: Hashable {
    /// The number of bytes of a file that the driver has accepted, and the file's size.
    case bytes(Int, of: Int)
    /// The progress of a transfer.
    case transfer(TransferStatus)
    /// The line of the script's present step.
    case line(Int)
  }
}

/// How typed keys are sent.
enum InputMode: String, CaseIterable {
  /// Each key at once.
  case char
  /// A line of text, after it was edited.
  case line
  /// A line of bytes as hexadecimal numbers, after it was edited.
  case hex
}
