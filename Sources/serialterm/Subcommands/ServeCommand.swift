import Glibc
import NetworkLinks
import Options
import SessionKit
import SystemPackage

/// `serialterm serve`: makes a port available to programs elsewhere.
struct ServeCommand: ProfiledCommand {
  private static let listen = Parameter<[ServeController.Entrance]>.list(
    "listen", "[HOST:]PORT", "Wait for clients at a port of TCP.",
    details: """
      Without HOST only programs of this computer can connect. There is no password: who reaches the \
      port has the device.
      """,
    parse: { try ServeController.Entrance(listening: $0) })
  private static let unix = Parameter<[ServeController.Entrance]>.list(
    "unix", "PATH", "Wait for clients at a Unix socket, which only you can use.",
    completion: .files, parse: { .path(FilePath($0)) })
  private static let stdio = Parameter.flag(
    "stdio", "Serve one client on standard input and output, as ssh runs it.",
    isConfigurable: false)
  private static let speech = Parameter<ServedProtocol>.choice(
    "protocol", "PROTOCOL", "What clients speak: raw, telnet or rfc2217.", standard: .rfc2217)

  static let description = CommandDescription(
    "serve", "Make a port available to programs elsewhere.",
    """
    Clients of RFC 2217, such as 'serialterm connect rfc2217://HOST:PORT', pyserial and esptool, also \
    set the line. One client at a time has the port. The port stays open between clients, and is opened \
    again when its device returns. SIGTERM and SIGINT end it; --stdio ends with its client.
    """,
    example: "serialterm serve /dev/ttyUSB0 --listen 4000",
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.target]),
      ParameterSection("CLIENTS", [listen, unix, stdio, speech]),
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
    if values[Self.stdio], !addresses.isEmpty {
      throw UsageError("--stdio serves one client, so it excludes --listen and --unix")
    }
  }

  private var addresses: [ServeController.Entrance] { values[Self.listen] + values[Self.unix] }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let entrances = values[Self.stdio] ? [.standardStreams] : addresses
    // Only now: a profile may name them.
    guard !entrances.isEmpty else {
      throw Failure(
        .usage,
        "say where clients connect: --listen PORT, --unix PATH or --stdio. "
          + "See 'serialterm serve --help'.")
    }
    guard !values[Self.stdio] || isatty(STDIN_FILENO) == 0 else {
      throw Failure(
        .usage, "--stdio is for ssh and other programs: standard input is a terminal.")
    }
    let session = try HeadlessInterface(
      sessionConfiguration, for: .service, among: context.devices)
    if let late = context.late {
      session.configurationForDevice = { device in
        try late.command(for: device, like: self).sessionConfiguration
      }
    }
    return try ServeController(session, at: entrances, speaking: values[Self.speech]).run()
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

extension ServeController.Entrance {
  /// Reads the value of `--listen`: a port, or a host and a port.
  ///
  /// - Throws: `ValueError`.
  fileprivate init(listening text: String) throws(ValueError) {
    let isPort = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    do throws(HostAddressError) {
      let address = try HostAddress(parsing: isPort ? "127.0.0.1:\(text)" : text)
      self = .host(address.host, port: address.port)
    } catch {
      throw ValueError(
        text, expected: "PORT from 1 to 65535, HOST:PORT, or [ADDRESS]:PORT for IPv6")
    }
  }
}
