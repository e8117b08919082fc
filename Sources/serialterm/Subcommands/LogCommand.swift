import Logs
import Options
import Posix
import Sessions
import SystemPackage

/// `serialterm log`: logs a device without a user.
struct LogCommand: ProfiledCommand {
  private static let files = Parameter<[String]>.arguments(
    "file", atLeast: 1, "The log file; several are written at once.", completion: .files,
    parse: LogParameters.checkedName)
  private static let mode = Parameter<FilePermissions>.option(
    "mode", "OCTAL", "The mode of new log files: 640.", standard: .ownerReadWrite, shown: "600",
    parse: { try LogAccess.mode(parsing: $0) })
  private static let group = Parameter<GroupID?>.option(
    "group", "GROUP", "The group of new log files: a name or a number.",
    parse: { try LogAccess.group(parsing: $0) })

  static let description = CommandDescription(
    "log", "Log what a device sends, until a signal.",
    """
    Sends nothing, and reads no standard input. Waits until the device is there and free, and \
    continues when it returns after unplugging. Other programs can borrow the port by 'serialterm \
    release'. SIGTERM and SIGINT end it once the log is complete; the exit status is 128 + the \
    signal's number, or 7 if bytes are missing from the log.
    """,
    example: "serialterm log /dev/ttyUSB0 board.jsonl --log-append --log-rotate 10M",
    mostUsed: [
      LineParameters.baud, LogParameters.append, LogParameters.rotate, LogParameters.rotateEvery,
      LogParameters.keep, LogParameters.format, mode, SessionParameters.quiet,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.target, files]),
      ParameterSection("CONNECTION", [SessionParameters.exclusive, SessionParameters.quiet]),
      LineParameters.section,
      ParameterSection(
        "LOG", LogParameters.files + LogParameters.text + [LogParameters.share, mode, group]),
      SymbolParameters.section, AlertParameters.section,
      SessionParameters.configuration,
    ])

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    namedTarget = values[SessionParameters.target]
    try values.checkLocking()
    try values.checkRotation()
    try values.checkAppending(to: values.logConfiguration(files: values[Self.files]))
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    var interface: HeadlessInterface?
    let session = try HeadlessInterface(
      sessionConfiguration, for: .service, of: "log", among: context.devices, alerts: values.alerts,
      forDevice: context.deviceProfile.map { profile in
        { device in
          let command = try profile.command(for: device, like: self)
          interface?.useSymbols(of: try command.values.symbolFiles)
          return command.sessionConfiguration
        }
      })
    interface = session
    session.useSymbols(of: try values.symbolFiles)
    return try LogController(session).run()
  }

  private var sessionConfiguration: SessionConfiguration {
    var log = values.logConfiguration(files: values[Self.files])
    log.options.access = LogAccess(mode: values[Self.mode], group: values[Self.group])
    return SessionConfiguration(
      target: namedTarget, settings: values.lineSettings, linkOptions: values.linkOptions,
      onOpen: values[LineParameters.onOpen], reconnects: true, waitsForAbsentDevice: true,
      pacing: Pacing(), log: log, isQuiet: values[SessionParameters.quiet]
    ).of(profile)
  }
}

extension LogAccess {
  /// Parses a file mode: three octal digits that allow the owner to read and write.
  ///
  /// - Throws: `ValueError`.
  static func mode(parsing text: String) throws(ValueError) -> FilePermissions {
    let digits = text.hasPrefix("0") ? text.dropFirst() : text[...]
    guard digits.utf8.count == 3, digits.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
      let bits = CModeT(digits, radix: 8), bits & 0o600 == 0o600, bits & 0o111 == 0
    else {
      throw ValueError(text, expected: "an octal mode for a file, from 600 to 666")
    }
    return FilePermissions(rawValue: bits)
  }

  /// Finds a group by its name or its number.
  ///
  /// - Throws: `ValueError`.
  static func group(parsing text: String) throws(ValueError) -> GroupID {
    if let group = AccountName.group(named: text) { return group }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt32(text), number != .max
    else { throw ValueError(PortGroups.unknown(text)) }
    return GroupID(rawValue: number)
  }
}
