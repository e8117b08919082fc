import Glibc
import Options
import Posix
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TextTools

/// `serialterm attach`: joins a session in another terminal.
struct AttachCommand: ProfiledCommand {
  private static let session = Parameter<String?>.argument(
    "session",
    "The session: its device, its profile, its process ID, or PID:N of --list --json. Without it, the "
      + "only one, or a list to choose from.",
    completion: .oneOf(SessionTable.candidates(of: RunningSession.all())), parse: { $0 })

  private static let list = Parameter.flag(
    "list", "Print the sessions, and who is there; join none.", isConfigurable: false)
  private static let json = Parameter.flag(
    "json",
    "For programs: events and received data as JSON lines, commands as JSON lines. With --list: the "
      + "list as JSON.",
    isConfigurable: false)
  private static let force = Parameter.flag(
    "force", "Take the pen at once, from the member who has it.", isConfigurable: false)

  static let description = CommandDescription(
    "attach", "Join a session that runs in another terminal.",
    """
    You see what the session has shown last, and then what the device sends, with your own view: hex, \
    timestamps, search, a log. What you type goes nowhere until you have the pen, the right to type: \
    ctrl-t w asks the member who has it. When you leave, the session goes on. Sessions are those of your account: 'serialterm \
    connect', 'serve' and 'log'.

    With --json, a program takes part in the same way: see 'serialterm help json'.
    """,
    example: "serialterm attach ttyUSB0",
    mostUsed: [
      list, force, KeyboardParameters.readOnly, ViewParameters.timestamps, ViewParameters.hex,
      LogParameters.log,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [session]),
      ParameterSection("SESSION", [list, json, force, SharingParameters.name]),
      KeyboardParameters.section, ViewParameters.section, SymbolParameters.sectionWithDecoding,
      LogParameters.section,
      ParameterSection("MESSAGES", [SessionParameters.quiet]), SessionParameters.configuration,
    ])

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    try values.checkLogs()
    if values[Self.force], values[KeyboardParameters.readOnly] {
      throw UsageError(
        about: ["force", "read-only"], "--force takes the pen, --read-only sends nothing")
    }
  }

  /// The page of a browser says so by a variable: nobody can type it into a name.
  private var isBrowser: Bool {
    getenv("SERIALTERM_MEMBER").map { String(cString: $0) } == "browser"
  }

  private var introduction: SharingMessage.Introduction {
    if isBrowser { return .init(name: values.userName ?? "", kind: .browser) }
    return values.userName.map { .init(name: $0) } ?? .own
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    guard Procfs.isMounted else {
      throw Failure(.otherFailure, "sessions cannot be found: /proc is not mounted here.")
    }
    let sessions = RunningSession.all(includingSudoUser: true)
    if values[Self.list] { return try print(sessions) }
    let session: RunningSession
    switch try choose(among: sessions) {
    case .chosen(let one): session = one
    case .ended(let status): return status
    }
    return try ofPort(of: session, in: context).join(session, in: context)
  }

  /// The command with the profile of the port.
  ///
  /// - Throws: ``Failure`` if an entry of the profile is invalid.
  private func ofPort(of session: RunningSession, in context: CommandContext) throws -> Self {
    guard let name = session.summary.profile,
      let command = try context.ofProfile?(name) as? Self
    else { return self }
    return command
  }

  private func join(
    _ session: RunningSession, in context: CommandContext
  ) throws -> ExitStatus {
    let providers = LinkProviders.joining(
      session, as: introduction)
    if values[Self.json] { return try drive(session, from: providers, in: context) }
    var environment = UserInterface.Environment()
    environment.providers = providers
    let interface = try UserInterface(
      [UserInterface.PortRequest(configuration: try configuration(for: session), forDevice: nil)],
      among: context.devices, in: environment)
    if values[Self.force] { interface.pipe.takesPenAtOnce = true }
    return try interface.run()
  }

  /// Lets a program take part in the session.
  private func drive(
    _ session: RunningSession, from providers: LinkProviders, in context: CommandContext
  ) throws -> ExitStatus {
    let interface = try HeadlessInterface(
      sessionConfiguration(for: session), for: .member, of: Self.description.name,
      among: context.devices, from: providers)
    interface.takesPenAtOnce = values[Self.force]
    if isBrowser { interface.model.update { $0.user = .page } }
    interface.useSymbols(of: try values.symbolFiles)
    let controller = JSONController(
      interface, linger: Self.linger, isReadOnly: values[KeyboardParameters.readOnly])
    controller.setForm(by: values, profile, port: 0)
    return try controller.run()
  }

  /// How long to wait for an answer when standard input has ended.
  private static let linger = Duration.milliseconds(200)

  // MARK: The sessions

  private func print(_ sessions: [RunningSession]) throws -> ExitStatus {
    if values[Self.json] {
      try StandardStream.output.print("\(JSON.array(sessions.map(\.json)))\n")
    } else if sessions.isEmpty {
      StandardStream.complain("no session of yours is running.")
    } else {
      for line in SessionTable(sessions, width: UserTerminal.outputWidth).lines {
        try StandardStream.output.print("\(line)\n")
      }
    }
    return .done
  }

  private enum Outcome {
    case chosen(RunningSession)
    /// The user has chosen none, or a signal has ended the question.
    case ended(ExitStatus)
  }

  /// Finds the session to join.
  ///
  /// - Throws: ``Failure`` if none matches, or if several match and there is no user to ask.
  private func choose(among sessions: [RunningSession]) throws -> Outcome {
    let fitting = values[Self.session].map { sessions.named($0) } ?? sessions
    switch fitting.count {
    case 1: return .chosen(fitting[0])
    case 0:
      let name = values[Self.session].map { " '\($0.harmless)'" } ?? ""
      let others =
        sessions.isEmpty
        ? " 'serialterm TARGET' starts one." : " 'serialterm attach --list' lists yours."
      throw Failure(.deviceNotFound, "no session\(name) of yours is running.\(others)")
    default: break
    }
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal,
      !values[Self.json]
    else {
      throw Failure(
        .usage,
        "several sessions: name one of them.\n"
          + SessionTable(fitting).lines.joined(separator: "\n"))
    }
    return try ask(among: fitting)
  }

  private func ask(among sessions: [RunningSession]) throws -> Outcome {
    let frontEnd = try DialogFrontEnd()
    if values[ViewParameters.plain] { frontEnd.dialogs.isPlain = true }
    var chosen: RunningSession?
    let question = Question<RunningSession>(
      title: "join session", enter: "joins",
      expected: "its number in the list, its process ID, its device or its profile",
      choices: { _ in SessionTable.choices(of: sessions) },
      answer: { typed in
        let named = sessions.named(typed)
        return named.count == 1 ? named[0] : nil
      },
      onAnswer: {
        chosen = $0
        frontEnd.app.finish(.success(.done))
      }, onCancel: { frontEnd.app.finish(.success(.done)) })
    let status = try frontEnd.run { frontEnd.dialogs.ask(question) }
    return chosen.map { .chosen($0) } ?? .ended(status)
  }

  private func configuration(
    for session: RunningSession
  ) throws(Failure) -> ConnectConfiguration {
    var configuration = configuration(
      of: sessionConfiguration(for: session), linger: Self.linger)
    try configuration.useSymbols()
    return configuration
  }

  private func sessionConfiguration(for session: RunningSession) -> SessionConfiguration {
    SessionConfiguration(
      target: .endpoint(session.endpoint), settings: LineSettings(),
      linkOptions: LinkOptions(), onOpen: nil, reconnects: false, waitsForAbsentDevice: false,
      pacing: Pacing(), log: values.logConfiguration, isQuiet: values[SessionParameters.quiet]
    ).of(profile)
  }
}
