import ArgumentParser
import Logs
import Posix
import SessionKit
import SystemPackage

/// `serialterm log`: logs a device without a user.
struct LogCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Log what a device sends, until a signal.",
    discussion: """
      Sends nothing, and reads no standard input. Waits until the device is there and free, and \
      continues when it returns after unplugging. Other programs can borrow the port by 'serialterm \
      release'. SIGTERM and SIGINT end it once the log is complete; the exit status is 128 + the \
      signal's number, or 7 if bytes are missing from the log. For the form of TARGET see \
      'serialterm connect --help'.

      EXAMPLE:
        serialterm log /dev/ttyUSB0 board.jsonl --log-append --log-rotate 10M
      """)

  @Argument(
    help: "The device.", completion: Target.completion, transform: { try Target(parsing: $0) })
  var target: Target

  @Argument(
    help: "The log file; several are written at once.", completion: .file())
  var file: [String]

  @OptionGroup(title: "LINE")
  var line: LineOptions

  @Flag(
    exclusivity: .chooseLast,
    help: "Lock the port (--exclusive, the default), or leave it to others too (--shared).")
  var sharing: ConnectCommand.Sharing = .exclusive

  @OptionGroup(title: "LOG")
  var log: LogFileOptions

  @Option(
    help: ArgumentHelp("The mode of new log files: 640. By default 600.", valueName: "octal"),
    transform: { try LogAccess.mode(parsing: $0) })
  var mode: FilePermissions?

  @Option(
    help: ArgumentHelp("The group of new log files: a name or a number.", valueName: "group"),
    transform: { try LogAccess.group(parsing: $0) })
  var group: GroupID?

  @Flag(name: [.short, .long], help: "Print only failures.")
  var quiet = false

  @OptionGroup(title: "CONFIGURATION")
  var profileOptions: ProfileOptions

  func validate() throws {
    try line.validateLocking(sharing)
    try log.validate(files: file)
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let session = try HeadlessInterface(
      sessionConfiguration, for: .log, among: context.devices)
    if let late = context.late {
      session.configurationForDevice = { device in
        try late.command(for: device, like: self).sessionConfiguration
      }
    }
    return try LogController(session).run()
  }

  private var sessionConfiguration: SessionConfiguration {
    var configuration = log.configuration(files: file)
    configuration.options.access = LogAccess(mode: mode ?? .ownerReadWrite, group: group)
    return SessionConfiguration(
      target: target, settings: line.settings,
      linkOptions: line.linkOptions(isExclusive: sharing == .exclusive), onOpen: line.onOpen,
      reconnects: true, waitsForAbsentDevice: true, pacing: Pacing(), log: configuration,
      isQuiet: quiet)
  }
}

extension LogCommand: ProfiledCommand {
  static var profiledName: ProfiledCommandName { .log }

  var namedTarget: Target? {
    get { target }
    set { if let newValue { target = newValue } }
  }
}

extension LogAccess {
  /// Reads a mode: three octal digits, with which the owner can read and write.
  ///
  /// - Throws: `ValidationError`.
  static func mode(parsing text: String) throws -> FilePermissions {
    let digits = text.hasPrefix("0") ? text.dropFirst() : text[...]
    guard digits.utf8.count == 3, digits.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
      let bits = CModeT(digits, radix: 8), bits & 0o600 == 0o600, bits & 0o111 == 0
    else {
      throw ValidationError("'\(text)': expected an octal mode for a file, from 600 to 666")
    }
    return FilePermissions(rawValue: bits)
  }

  /// Reads a group, by its name or its number.
  ///
  /// - Throws: `ValidationError`.
  static func group(parsing text: String) throws -> GroupID {
    if let group = AccountName.group(named: text) { return group }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt32(text), number != .max
    else { throw ValidationError("'\(text)': there is no such group") }
    return GroupID(rawValue: number)
  }
}
