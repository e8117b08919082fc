import Loopback
import Options
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextStages

/// `serialterm tap`: joins two ports and shows what passes between them.
struct TapCommand: ProfiledCommand {
  private static let targets = Parameter<[Target]>.arguments(
    "target", atLeast: 1,
    "The two ports, A and B, or one port with --pty: see 'serialterm help targets'.",
    completion: Target.completion, parse: { try Target(parsing: $0) })

  static let pty = Parameter<String?>.option(
    "pty", "PATH",
    "In place of B: a pseudo-terminal with a link at PATH, which a program opens as its port.",
    isConfigurable: false, completion: .files,
    parse: { text in
      guard !text.isEmpty else { throw ValueError(text, expected: "a path") }
      return text
    })

  static let passive = Parameter.flag(
    "passive", "Two receivers at the wires of a line: send nothing to either.",
    isConfigurable: false)

  static let onLost = Parameter<PortJunction.LossRule>.choice(
    "on-lost", "HOW",
    "What one side notices when the other is gone: hang-up (a port switches DTR and RTS off, "
      + "a pseudo-terminal hangs up), keep (nothing), or end.",
    standard: .hangUp)

  static let description = CommandDescription(
    "tap", "Join two ports, and show what passes between them.",
    """
    What A sends goes to B at once and unchanged, and back; new line settings, DTR, RTS and breaks too, \
    where the other side has them. serialterm sends nothing itself. A lost device is awaited. All \
    options of views and logs apply to both directions.
    """,
    example: """
      serialterm tap ttyUSB0 --pty /tmp/plc --frames modbus-rtu -L bus.jsonl
      modpoll -m rtu /tmp/plc                  # the program opens /tmp/plc instead
      serialterm tap ttyUSB0 ttyUSB1 -b 9600   # two adapters, between two devices
      """,
    mostUsed: [
      LineParameters.baud, LineParameters.parity, pty, passive, onLost, ViewParameters.frames,
      ViewParameters.hex, ViewParameters.timestamps, LogParameters.log,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [targets]),
      ParameterSection(
        "TAP", [pty, passive, onLost, SessionParameters.wait, SessionParameters.exclusive]),
      LineParameters.section,
      ParameterSection("KEYBOARD", [KeyboardParameters.prefix, KeyboardParameters.escape]),
      ViewParameters.section,
      ParameterSection("LOG", [LogParameters.log] + LogParameters.files),
      ParameterSection("MESSAGES", [SessionParameters.quiet]), SessionParameters.configuration,
    ])

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  static let takesSeveralTargets = true

  init(_ values: Values) throws(UsageError) {
    self.values = values
    namedTarget = values[Self.targets].first
    try values.checkSession()
    if values[Self.pty] != nil, values[Self.passive] {
      throw UsageError(
        about: ["pty", "passive"],
        "--pty passes bytes on, --passive does not: name two ports that only receive")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let others = context.others.compactMap { reading in
      (reading.command as? TapCommand).map { ($0, reading.deviceProfile) }
    }
    let count = 1 + others.count + (values[Self.pty] == nil ? 0 : 1)
    guard count == 2 else {
      throw Failure(
        .usage,
        count < 2
          ? "name a second port, or --pty PATH for a program."
          : "a tap has two sides: name two ports, or one port and --pty PATH.")
    }
    var environment = UserInterface.Environment()
    let terminal = try makeTerminal()
    if let terminal { environment.providers = .tapping(terminal) }
    let sides = [(self, context.deviceProfile)] + others
    // A program at the pseudo-terminal asks, and the port is its device. Of two ports, the first
    // one is taken for the side that asks.
    let directions: [Direction] = terminal == nil ? [.toDevice, .fromDevice] : [.fromDevice]
    var requests = zip(sides, directions).map { side, direction in
      let (command, profile) = side
      return UserInterface.PortRequest(
        configuration: command.configuration(sending: direction),
        forDevice: profile.map { profile in
          { try profile.command(for: $0, like: command).configuration(sending: direction) }
        })
    }
    if let terminal {
      var configuration = configuration(sending: .toDevice, waits: true)
      configuration.session.target = .endpoint(terminal.endpoint)
      configuration.profile = ProfileInUse()
      requests.append(UserInterface.PortRequest(configuration: configuration, forDevice: nil))
    }
    try ConnectCommand.validateLogs(requests.map(\.configuration.session.log))
    return try UserInterface(
      requests, alerts: values.alerts,
      joining: PortTap.Rules(
        terminal: terminal, isPassive: values[Self.passive], onLoss: values[Self.onLost],
        words: words), among: context.devices, in: environment
    ).run()
  }

  private func makeTerminal() throws(Failure) -> TapTerminal? {
    guard let path = values[Self.pty] else { return nil }
    do throws(TapTerminalError) {
      return try TapTerminal(at: FilePath(path), values.lineSettings)
    } catch {
      throw Failure(error)
    }
  }

  /// The words of the command without the options that a session can change.
  private var words: [String] {
    var words = ["tap"] + (values.all["target"] ?? [])
    if let path = values[Self.pty] { words += ["--pty", path] }
    if values[Self.passive] { words.append("--passive") }
    if values[Self.onLost] != .hangUp { words += ["--on-lost", values[Self.onLost].rawValue] }
    return words
  }

  private func configuration(
    sending direction: Direction, waits: Bool = false
  ) -> ConnectConfiguration {
    var link = values.linkOptions
    // A break is known only by its mark.
    if !values[Self.passive] { link.marksBreaks = true }
    var configuration = configuration(
      of: SessionConfiguration(
        target: namedTarget, settings: values.lineSettings, linkOptions: link,
        onOpen: values[LineParameters.onOpen], reconnects: true,
        waitsForAbsentDevice: waits || values[SessionParameters.wait], pacing: Pacing(),
        log: values.logConfiguration, isQuiet: values[SessionParameters.quiet]),
      linger: .zero)
    configuration.lineDirection = direction
    return configuration
  }
}

extension Failure {
  /// The message that a pseudo-terminal could not be made.
  init(_ error: TapTerminalError) {
    switch error {
    case .system(let errno): self.init(.otherFailure, "cannot make a pseudo-terminal: \(errno).")
    case .link(let error): self.init(.otherFailure, "--pty \(error)")
    }
  }
}
