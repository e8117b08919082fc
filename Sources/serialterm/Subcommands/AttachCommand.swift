import Glibc
import Options
import PlainText
import Posix
import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// `serialterm attach`: joins a session in another terminal.
struct AttachCommand: ProfiledCommand {
  private static let session = Parameter<String?>.argument(
    "session",
    "The session: its process ID, or its device. Without it, the only one, or a list to choose from.",
    parse: { $0 })

  private static let list = Parameter.flag(
    "list", "Print the sessions, and who is there; join none.", isConfigurable: false)
  private static let json = Parameter.flag(
    "json", "With --list: as JSON.", isConfigurable: false)
  private static let force = Parameter.flag(
    "force", "Take the pen at once, from whoever has it.", isConfigurable: false)

  static let description = CommandDescription(
    "attach", "Join a session that runs in another terminal.",
    """
    You see what the session has shown last, and then what the device sends, with your own view: hex, \
    timestamps, search, a log. What you type goes nowhere until you have the pen: ctrl-t w asks whoever \
    has it. When you leave, the session goes on. Sessions are those of your account: 'serialterm \
    connect', 'serve' and 'log'.
    """,
    example: "serialterm attach ttyUSB0",
    mostUsed: [
      list, force, ConnectCommand.readOnly, ViewParameters.timestamps, ViewParameters.hex,
      LogParameters.log,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [session]),
      ParameterSection("SESSION", [list, json, force, SharingParameters.name]),
      ParameterSection(
        "KEYBOARD",
        [
          ConnectCommand.localEcho, ConnectCommand.inputMode, ConnectCommand.lineEnding,
          ConnectCommand.readOnly, ConnectCommand.prefix, ConnectCommand.escape,
        ]),
      ViewParameters.section, LogParameters.section,
      ParameterSection("MESSAGES", [SessionParameters.quiet]), SessionParameters.configuration,
    ])

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    try values.checkLogs()
    if values[Self.json], !values[Self.list] {
      throw UsageError(about: ["json"], "--json is for --list")
    }
    if values[Self.force], values[ConnectCommand.readOnly] {
      throw UsageError(
        about: ["force", "read-only"], "--force takes the pen, --read-only sends nothing")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let sessions = RunningSession.all()
    if values[Self.list] { return try print(sessions) }
    guard let session = try choose(among: sessions) else { return .done }
    let name = values.userName ?? UserName.own
    var environment = UserInterface.Environment()
    environment.providers = .joining(session, as: name)
    let interface = try UserInterface(
      [UserInterface.PortRequest(configuration: configuration(for: session), forDevice: nil)],
      among: context.devices, in: environment)
    if values[Self.force] { interface.takesPenAtOnce = true }
    return try interface.run()
  }

  // MARK: The sessions

  private func print(_ sessions: [RunningSession]) throws -> ExitStatus {
    if values[Self.json] {
      try StandardStream.output.print("\(JSON.array(sessions.map(\.json)))\n")
    } else if sessions.isEmpty {
      StandardStream.complain("no session of yours is running.")
    } else {
      for line in SessionTable(sessions).lines { try StandardStream.output.print("\(line)\n") }
    }
    return .done
  }

  /// The session to join; nil if the user chose none.
  ///
  /// - Throws: ``Failure`` if none matches, or if several match and there is no user to ask.
  private func choose(among sessions: [RunningSession]) throws -> RunningSession? {
    let fitting = values[Self.session].map { name in sessions.filter { $0.fits(name) } } ?? sessions
    switch fitting.count {
    case 1: return fitting[0]
    case 0:
      let name = values[Self.session].map { " '\($0.harmless)'" } ?? ""
      let others = sessions.isEmpty ? "" : " 'serialterm attach --list' lists yours."
      throw Failure(.deviceNotFound, "no session\(name) of yours is running.\(others)")
    default: break
    }
    let table = SessionTable(fitting)
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal else {
      throw Failure(
        .usage, "several sessions: name one of them.\n" + table.lines.joined(separator: "\n"))
    }
    return ask(among: fitting, table)
  }

  private func ask(among sessions: [RunningSession], _ table: SessionTable) -> RunningSession? {
    let lines = table.lines
    StandardStream.complain("    " + lines[0])
    for (number, line) in lines.dropFirst().enumerated() {
      StandardStream.complain("\(number + 1)   ".prefix(4) + line)
    }
    while true {
      StandardStream.error.print(
        "join which session, 1 to \(sessions.count)? Enter alone: none. ",
        within: .milliseconds(200))
      guard let line = readLine(), !line.isEmpty else { return nil }
      if let number = Int(line), (1...sessions.count).contains(number) {
        return sessions[number - 1]
      }
      let named = sessions.filter { $0.fits(line) }
      if named.count == 1 { return named[0] }
    }
  }

  private func configuration(for session: RunningSession) -> ConnectConfiguration {
    configuration(
      of: SessionConfiguration(
        target: .endpoint(session.endpoint), settings: LineSettings(),
        linkOptions: LinkOptions(), onOpen: nil, reconnects: false, waitsForAbsentDevice: false,
        pacing: Pacing(), log: values.logConfiguration, isQuiet: values[SessionParameters.quiet]),
      linger: .milliseconds(200))
  }
}
