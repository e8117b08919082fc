import Options
import Reconnecting
import SerialCore
import Sessions

/// A subcommand: its description, its parameters and its action.
protocol Subcommand: SendableMetatype {
  static var description: CommandDescription { get }
  /// Whether `--no-NAME` switches off the value that a configuration file gives an option.
  static var canSwitchOff: Bool { get }
  /// The command, if it reads the configuration for the given parameters. Testing this at run time,
  /// with `as?`, takes a fiftieth of the start-up time.
  static func profiled(for given: Given) -> (any ProfiledCommand.Type)?

  /// Parses the words after the name of the command.
  ///
  /// - Throws: `WordError` for the first word that is not a valid parameter.
  static func given(by words: [String]) throws(WordError) -> Given

  /// Creates the command.
  ///
  /// - Throws: `UsageError` for values that contradict each other.
  init(_ values: Values) throws(UsageError)

  /// Runs the command. Only the root command ends the process.
  ///
  /// - Returns: the exit status.
  /// - Throws: ``Failure`` for every end that needs a message.
  func execute(in context: CommandContext) throws -> ExitStatus
}

extension Subcommand {
  static var canSwitchOff: Bool { false }
  static func profiled(for given: Given) -> (any ProfiledCommand.Type)? { nil }
  static var name: String { description.name }

  static func given(by words: [String]) throws(WordError) -> Given {
    try WordReader.read(words, description.declarations, canSwitchOff: canSwitchOff)
  }
}

/// The context of a subcommand, besides its values.
struct CommandContext {
  /// The serial ports of this computer. The choice of the profile may already have
  /// started the catalog.
  let devices: DeviceCatalog
  /// Completes a ``ProfiledCommand`` when its device is known; nil if the profile is certain.
  var deviceProfile: DeviceProfile?
  /// The command for each additional TARGET.
  var others: [CommandLineReader.Reading] = []
  /// Returns the command for an additional device; nil for a command without a TARGET.
  var additional: ((Endpoint) throws -> any ProfiledCommand)?
  /// The command for a port whose session has a profile; see ``CommandLineReader/Reading``.
  var ofProfile: ((_ name: String) throws -> (any ProfiledCommand)?)?
}

/// The subcommands.
enum Subcommands {
  static let all: [any Subcommand.Type] = [
    ConnectCommand.self, ListCommand.self, MonitorCommand.self, LoopbackCommand.self,
    ReleaseCommand.self, LogCommand.self, ServeCommand.self, AttachCommand.self, McpCommand.self,
    TapCommand.self,
    SendCommand.self, ReceiveCommand.self, RunCommand.self, PlotCommand.self, ReplayCommand.self,
    SymbolizeCommand.self,
    ListProfilesCommand.self, ShowProfileCommand.self, SaveProfileCommand.self,
    ImportTioCommand.self, ImportMinicomCommand.self, ImportSer2netCommand.self, DoctorCommand.self,
    RulesCommand.self,
    ExtcapCommand.self, SessionCommandsCommand.self, DescribeCommand.self, CompleteLineCommand.self,
  ]

  /// The commands that read the configuration.
  static let profiled: [any ProfiledCommand.Type] = [
    ConnectCommand.self, LogCommand.self, ServeCommand.self, AttachCommand.self,
    TapCommand.self, SendCommand.self, ReceiveCommand.self, RunCommand.self, PlotCommand.self,
  ]
}
