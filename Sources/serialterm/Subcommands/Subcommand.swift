import Options
import SerialCore
import SessionKit

/// A subcommand: what it takes and says, and what it does.
protocol Subcommand: SendableMetatype {
  static var description: CommandDescription { get }
  /// Whether `--no-NAME` switches off what a configuration file says about an option.
  static var canSwitchOff: Bool { get }
  /// The command, if it reads the configuration. Asking the runtime instead, with 'as?', takes a fiftieth of
  /// a start.
  static var profiled: (any ProfiledCommand.Type)? { get }

  /// Creates the command.
  ///
  /// - Throws: `UsageError` for values that contradict each other.
  init(_ values: Values) throws(UsageError)

  /// Runs the command; the root command ends the process.
  ///
  /// - Returns: the exit status.
  /// - Throws: ``Failure`` for every end that needs a message.
  func execute(in context: CommandContext) throws -> ExitStatus
}

extension Subcommand {
  static var canSwitchOff: Bool { false }
  static var profiled: (any ProfiledCommand.Type)? { nil }
  static var name: String { description.name }

  /// Reads the words after the name of the command.
  ///
  /// - Throws: `WordError` for the first word that fits no parameter.
  static func given(by words: [String]) throws(WordError) -> Given {
    try WordReader.read(words, description.declarations, canSwitchOff: canSwitchOff)
  }
}

/// What a subcommand gets besides its values.
struct CommandContext {
  /// The serial ports of the machine. The choice of the profile may have started it already.
  let devices: DeviceCatalog
  /// Completes a ``ProfiledCommand`` when its device is known; nil if the profile is decided.
  var late: LateProfile?
  /// The command again for each further TARGET.
  var others: [CommandLineReader.Reading] = []
  /// The command for one more device; nil for a command without a TARGET.
  var further: ((Endpoint) throws -> any ProfiledCommand)?
}

/// The subcommands.
enum Subcommands {
  static let all: [any Subcommand.Type] = [
    ConnectCommand.self, ListCommand.self, MonitorCommand.self, LoopbackCommand.self,
    ReleaseCommand.self, LogCommand.self, ServeCommand.self, AttachCommand.self, SendCommand.self,
    ReceiveCommand.self, RunCommand.self, ReplayCommand.self,
    ListProfilesCommand.self, ShowProfileCommand.self, SaveProfileCommand.self,
    ImportTioCommand.self, DoctorCommand.self, RulesCommand.self, SessionCommandsCommand.self,
    DescribeCommand.self, CompleteLineCommand.self,
  ]

  /// The commands that read the configuration.
  static let profiled: [any ProfiledCommand.Type] = [
    ConnectCommand.self, LogCommand.self, ServeCommand.self, AttachCommand.self,
    SendCommand.self, ReceiveCommand.self, RunCommand.self,
  ]
}
