import Glibc
import Options
import Posix
import Sessions
import SystemPackage

/// `serialterm serve`: makes a port available to programs elsewhere.
struct ServeCommand: ProfiledCommand {
  private static let stdio = Parameter.flag(
    "stdio", "Serve one client on standard input and output, as ssh runs it.",
    isConfigurable: false)

  static let description = CommandDescription(
    "serve", "Make a port available to programs elsewhere.",
    """
    Clients of RFC 2217, such as 'serialterm connect rfc2217://HOST:PORT', pyserial and esptool, also \
    set the line. Any number of clients see what the device sends; one of them has the pen, and writes. The \
    port stays open between clients, and is opened again when its device returns. SIGTERM and SIGINT end it; \
    --stdio ends with its client.
    """,
    example: """
      serialterm serve ttyUSB0 --listen 4000
      serialterm connect rfc2217://localhost:4000    # in another terminal
      """,
    mostUsed: [
      SharingParameters.listen, SharingParameters.unix, stdio, SharingParameters.speech,
      SharingParameters.writers, SharingParameters.allow, LineParameters.baud, LogParameters.log,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.target]),
      ParameterSection("CLIENTS", SharingParameters.places + [stdio] + SharingParameters.rules),
      ParameterSection("CONNECTION", [SessionParameters.exclusive, SessionParameters.quiet]),
      LineParameters.section, LogParameters.section, SessionParameters.configuration,
    ])

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    namedTarget = values[SessionParameters.target]
    try values.checkLocking()
    try values.checkLogs()
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let entrances =
      (values[Self.stdio] ? [PortServer.Entrance(.standardStreams)] : []) + values.entrances
    // Checked here, because a profile may name the entrances.
    guard !entrances.isEmpty else {
      throw Failure(
        .usage,
        "say where clients connect: --listen PORT, --unix PATH or --stdio. "
          + "See 'serialterm serve --help'.")
    }
    guard !values[Self.stdio] || !FileDescriptor.standardInput.isTerminal else {
      throw Failure(
        .usage, "--stdio is for ssh and other programs: standard input is a terminal.")
    }
    let session = try HeadlessInterface(
      sessionConfiguration, for: .service, of: "serve", among: context.devices,
      forDevice: context.deviceProfile.map { profile in
        { try profile.command(for: $0, like: self).sessionConfiguration }
      })
    return try ServeController(
      session, at: entrances, try values.servingRules,
      writers: values[SharingParameters.writers].rule
    ).run()
  }

  private var sessionConfiguration: SessionConfiguration {
    let isAlone = values[Self.stdio]
    return SessionConfiguration(
      target: namedTarget, settings: values.lineSettings, linkOptions: values.linkOptions,
      onOpen: values[LineParameters.onOpen], reconnects: !isAlone, waitsForAbsentDevice: !isAlone,
      pacing: Pacing(), log: values.logConfiguration,
      isQuiet: values[SessionParameters.quiet] || isAlone)
  }
}
