import Glibc
import Logs
import Options
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools
import TransferProtocols

/// `serialterm connect`: an interactive session, or a pipe to and from the device.
struct ConnectCommand: ProfiledCommand {
  static let targets = Parameter<[Target]>.arguments(
    "target",
    "The device: see 'serialterm help targets'. Without it, the only one, or a list to choose from. "
      + "Several are shown line by line in one view.",
    completion: Target.completion, parse: { try Target(parsing: $0) })

  static let reconnect = Setting.ofSession(
    .pair(
      "reconnect", off: "no-reconnect", offLetter: "n",
      "When the device is unplugged, wait for it and continue, or end."),
    changedBy: .reconnect
  ) { "\($0.reconnects)" }

  static let linger = Parameter<Double>.time(
    "linger", "How long to wait for an answer when standard input has ended.", 0...86_400,
    standard: 0.2)

  static let drain = Parameter<Double?>.time(
    "drain",
    "How long to wait for bytes that are still being sent: by default 300ms when you quit, 1s when "
      + "the port is released.", 0...86_400)

  static let releaseOn = Parameter<ReleaseSignal?>.choice(
    "release-on", "SIGNAL", "A signal that releases the port, and reopens it: USR1 or USR2.")

  static let script = Parameter<String?>.option(
    "script", "FILE",
    "Run a script of 'serialterm run' first, then you have the port. With several devices, on the first.",
    isConfigurable: false, completion: .files,
    parse: { text in
      guard !text.isEmpty, text != "-" else {
        throw ValueError(text, expected: "the path of a file")
      }
      return text
    })

  static let exec = Parameter<String?>.option(
    "exec", "COMMAND", "Run a command with the port as its standard input and output.",
    isConfigurable: false, completion: .command, parse: { $0 })

  static let json = Parameter.flag(
    "json", "For programs: events and received data as JSON lines, commands as JSON lines.",
    isConfigurable: false)

  static let console = Parameter.flag(
    "console",
    "For another program as its console: standard output has the device's bytes and nothing else.",
    details: """
      No prefix key, no question, no change of a byte, with pipes and with a pseudo-terminal. It waits for \
      the device, and ends when its input ends or by a signal. Messages go to standard error, or nowhere if \
      that is standard output, too.
      """, isConfigurable: false)

  static let messages = Parameter<String?>.option(
    "messages", "FILE", "With --console: add the messages to a file.", isConfigurable: false,
    completion: .files, parse: { $0 })

  static let description = CommandDescription(
    "connect", "Talk to a serial device.",
    """
    With a terminal, keys go to the device; ctrl-t ? lists the commands. With pipes, standard input is \
    sent at the device's pace, and what it answers goes to standard output unchanged.

    A profile or [default] of the configuration can set most options; --no-NAME switches off what it \
    says: --no-timestamps.
    """,
    example: """
      serialterm list                          # what is my device called?
      serialterm connect ttyUSB0               # talk to it: 115200 baud, 8N1
      serialterm connect loopback:board        # a simulated board, without hardware
      serialterm connect ttyUSB0 -b 9600 -t    # 9600 baud, the time of each line
      serialterm connect ttyUSB0 ttyUSB1       # two devices; ctrl-t N switches
      """,
    mostUsed: [
      LineParameters.baud, LineParameters.parity, LineParameters.flow, LogParameters.log,
      ViewParameters.timestamps, ViewParameters.hex, KeyboardParameters.localEcho,
      KeyboardParameters.lineEnding, ViewParameters.map, KeyboardParameters.readOnly,
      SessionParameters.wait, reconnect, SessionParameters.profile,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [targets]),
      ParameterSection(
        "CONNECTION",
        [
          SessionParameters.wait, reconnect, SessionParameters.exclusive, drain, releaseOn, script,
          autoReceive,
        ]),
      LineParameters.section, KeyboardParameters.section, ViewParameters.section,
      SymbolParameters.sectionWithDecoding, AlertParameters.section,
      LogParameters.sectionWithSharing, PacingParameters.section,
      ParameterSection(
        "PROGRAMS AND PIPES",
        [console, messages, Self.linger, Self.exec, json, SessionParameters.quiet]),
      ParameterSection(
        "SHARING",
        SharingParameters.places + SharingParameters.rules + [SharingParameters.name]
          + SharingParameters.page),
      SessionParameters.configuration,
    ])

  static let autoReceive = Parameter<String?>.option(
    "auto-receive", "DIR",
    """
    Receive files that the device offers into a folder, without asking. \
    \(TransferProtocol.announced.titles) announces its files.
    """,
    completion: .files, parse: { $0 })

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    let targets = values[Self.targets]
    namedTarget = targets.first
    try values.checkSession()
    if values[Self.script] != nil {
      if isReadOnly {
        throw UsageError(
          about: ["script", "read-only"],
          "--script sends what its script says, --read-only sends nothing")
      }
      for (name, isGiven) in [("exec", exec != nil), ("json", isForProgram)] where isGiven {
        throw UsageError(
          about: ["script", name], "--script and --\(name) exclude each other")
      }
    }
    try checkConsole(targets)
    guard exec != nil else { return }
    if isReadOnly {
      throw UsageError(
        about: ["exec", "read-only"],
        "--exec sends what its command writes, --read-only sends nothing")
    }
    if targets.count > 1 { throw UsageError(about: ["exec"], "--exec is for one device") }
    if isForProgram {
      throw UsageError(about: ["exec", "json"], "--json and --exec exclude each other")
    }
  }

  private func checkConsole(_ targets: [Target]) throws(UsageError) {
    guard values[Self.console] else {
      if values[Self.messages] != nil {
        throw UsageError(about: ["messages"], "--messages is for --console")
      }
      return
    }
    for (name, isGiven) in [("exec", exec != nil), ("json", isForProgram)] where isGiven {
      throw UsageError(
        about: ["console", name], "--console and --\(name) exclude each other")
    }
    if targets.count > 1 { throw UsageError(about: ["console"], "--console is for one device") }
  }

  static let takesSeveralTargets = true

  private var exec: String? { values[Self.exec] }
  private var isForProgram: Bool { values[Self.json] }
  private var isReadOnly: Bool { values[KeyboardParameters.readOnly] }
  private var linger: Duration { .seconds(values[Self.linger]) }

  func execute(in context: CommandContext) throws -> ExitStatus {
    if exec != nil || isForProgram { return try executeHeadless(in: context) }
    guard values[Self.console] else {
      return try execute(in: context, UserInterface.Environment())
    }
    let messages = values[Self.messages].map { FilePath($0) }
    return try ProgramConsole(messagesIn: messages).run { try execute(in: context, $0) }
  }

  private func execute(
    in context: CommandContext, _ environment: UserInterface.Environment
  ) throws -> ExitStatus {
    // The port is not opened if the script contains a mistake.
    let script = try values[Self.script].map { try Script(reading: $0) }
    let others = context.others.compactMap { reading in
      (reading.command as? ConnectCommand).map { ($0, reading.deviceProfile) }
    }
    let requests = try ([(self, context.deviceProfile)] + others).map { command, profile in
      UserInterface.PortRequest(
        configuration: try command.connectConfiguration,
        forDevice: profile.map { profile in
          { try profile.command(for: $0, like: command).connectConfiguration }
        })
    }
    if requests.count > 1 {
      try validateSharing()
      try validateSharedScreen()
      try Self.validateLogs(requests.map(\.configuration.session.log))
    }
    let additional = context.additional.map { additional in
      { endpoint in
        try (try additional(endpoint) as? ConnectCommand ?? self).connectConfiguration
      }
    }
    return try UserInterface(
      requests, alerts: values.alerts, running: script, additional: additional,
      among: context.devices, in: environment
    ).run()
  }

  /// Checks that a port is shared only alone, because an address leads to one port.
  private func validateSharing() throws(Failure) {
    guard !values.listenAddresses.isEmpty || values.pagePlace != nil else { return }
    throw Failure(
      .usage,
      "--listen, --unix and --web are for one device. Run 'serialterm serve' for each, or use 'share' of the palette."
    )
  }

  /// Checks that several devices do not share options that are for one device only.
  private func validateSharedScreen() throws(Failure) {
    if values[ViewParameters.raw] {
      throw Failure(
        .usage, "--raw is for one device: it may draw on the whole screen.")
    }
    if !isReadOnly && !FileDescriptor.standardInput.isTerminal {
      throw Failure(
        .usage,
        "standard input is not a terminal, and several devices are named: name one, or use --read-only."
      )
    }
  }

  /// Checks that the logs of several devices distinguish them.
  static func validateLogs(_ logs: [LogConfiguration]) throws(Failure) {
    for file in LogConfiguration.shared(among: logs) where !file.options.namesPorts {
      // A table can, but has nothing except numbers.
      let suffixes = LogFormat.allCases.filter { $0.namesPorts && $0.hasEvents }
        .alternatives(\.suffix)
      throw Failure(
        .usage,
        "\(file.name.harmless): a raw log cannot distinguish devices. Name it \(suffixes), "
          + "or use a log for each device: log-%t.log.")
    }
  }

  private func executeHeadless(in context: CommandContext) throws -> ExitStatus {
    var json: JSONController?
    var interface: HeadlessInterface?
    let session = try HeadlessInterface(
      sessionConfiguration, of: "connect", among: context.devices, alerts: values.alerts,
      forDevice: context.deviceProfile.map { profile in
        { device in
          let command = try profile.command(for: device, like: self)
          json?.linger = command.linger
          json?.setReadOnly(command.isReadOnly, port: 0)
          json?.setForm(by: command.values, command.profile, port: 0)
          interface?.useSymbols(of: try command.values.symbolFiles)
          return command.sessionConfiguration
        }
      })
    interface = session
    session.useSymbols(of: try values.symbolFiles)
    if exec == nil { json = JSONController(session, linger: linger, isReadOnly: isReadOnly) }
    json?.setForm(by: values, profile, port: 0)
    guard let json else { return try ExecController(exec ?? "", session).run() }
    try addOthers(of: context, to: json, session)
    return try json.run()
  }

  /// Adds the additional devices to a JSON session.
  private func addOthers(
    of context: CommandContext, to json: JSONController, _ session: HeadlessInterface
  ) throws {
    let others = context.others.compactMap { reading in
      (reading.command as? ConnectCommand).map { (command: $0, profile: reading.deviceProfile) }
    }
    guard !others.isEmpty else { return }
    let configurations =
      try [connectConfiguration] + others.map { try $0.command.connectConfiguration }
    try Self.validateLogs(configurations.map(\.session.log))
    for (index, (command, profile)) in others.enumerated() {
      json.add(
        command.sessionConfiguration, isReadOnly: command.isReadOnly,
        forDevice: profile.map { profile in
          { device in
            let known = try profile.command(for: device, like: command)
            json.setReadOnly(known.isReadOnly, port: index + 1)
            json.setForm(by: known.values, known.profile, port: index + 1)
            session.useSymbols(of: try known.values.symbolFiles, port: index + 1)
            return known.sessionConfiguration
          }
        })
      json.setForm(by: command.values, command.profile, port: index + 1)
      session.useSymbols(of: try command.values.symbolFiles, port: index + 1)
    }
    json.name(PortNames(of: configurations).names)
  }
}

extension ConnectCommand {
  var sessionConfiguration: SessionConfiguration {
    // A command can only learn by its end that the device is gone.
    session(
      reconnects: values[Self.reconnect] && exec == nil,
      waits: values[Self.console] ? true : nil)
  }

  /// Checks the folder for received files now: a device offers its files much later.
  private func checkAutoReceive() throws(Failure) {
    guard let name = values[Self.autoReceive] else { return }
    do throws(TransferStorageError) {
      _ = try IncomingFolder(at: FilePath(name), IncomingFolder.Rules())
    } catch {
      let reason =
        switch error.error {
        case .noSuchFileOrDirectory: "there is no such folder"
        case .notDirectory: "not a folder"
        default: "\(error.error)"
        }
      throw Failure(.usage, "--\(Self.autoReceive.name) \(error.path): \(reason).")
    }
  }

  /// - Throws: ``Failure`` if it names a group or a folder that cannot be used.
  var connectConfiguration: ConnectConfiguration {
    get throws(Failure) {
      var configuration = configuration(of: sessionConfiguration, linger: linger)
      configuration.servingRules = try values.servingRules
      try configuration.useSymbols()
      try checkAutoReceive()
      return configuration
    }
  }
}

extension ProfiledCommand {
  /// The configuration of an interactive session.
  func configuration(
    of session: SessionConfiguration, linger: Duration
  ) -> ConnectConfiguration {
    ConnectConfiguration(
      session: session, profile: profile, values: values, linger: linger,
      filterCommand: values[ViewParameters.filter])
  }
}
