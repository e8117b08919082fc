import ArgumentParser
import Glibc
import Logs
import PlainText
import SerialCore
import SessionKit
import TerminalFrontEnd

/// `serialterm connect`: an interactive session, or a pipe to and from the device.
struct ConnectCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Talk to a serial device.",
    discussion: """
      With a terminal, keys go to the device; ctrl-t ? lists the commands. With pipes, standard \
      input is sent at the device's pace, and what it answers goes to standard output unchanged.

      A TARGET is a node (/dev/ttyUSB0, ttyUSB0, any path that leads to one), a USB adapter by \
      what it is (usb:0403:6001, usb:0403:6001:SERIAL), by its serial number (serial:TEXT) or by \
      the physical port it is plugged into (port:ID_PATH), the one plugged in last (latest) or \
      next (new), or a simulation that needs no hardware \
      (loopback: echoes, loopback:board is a small board).

      Several TARGETs share one view, line by line; ctrl-t w types to the next one.

      EXAMPLES:
        serialterm connect /dev/ttyUSB0 -b 9600
        serialterm connect ttyUSB0 ttyUSB1       two devices in one view
      """)

  @Argument(
    help: "The device. Without it, the only one, or a list to choose from.",
    completion: Target.completion,
    transform: { try Target(parsing: $0) })
  var target: Target?

  @Argument(
    help: "More devices: shown line by line in one view, or named in --json.",
    completion: Target.completion,
    transform: { try Target(parsing: $0) })
  var more: [Target] = []

  @OptionGroup(title: "LINE")
  var line: LineOptions

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "When the device is unplugged, wait for it and continue.")
  var reconnect = true

  @Flag(name: .customShort("n"), help: .init("Same as --no-reconnect.", visibility: .default))
  var neverReconnect = false

  @Flag(help: "Wait for a device that is missing or in use.")
  var wait = false

  @Flag(name: [.customShort("e"), .long], help: "Show what you type.")
  var localEcho = false

  @OptionGroup(title: "PACING")
  var pacing: PacingOptions

  @OptionGroup(title: "VIEW")
  var view: ViewOptions

  @Option(help: "Send each key at once (char), or a line after Enter, with editing (line).")
  var inputMode = InputMode.char

  @Option(help: "What Enter sends: cr, lf or crlf.")
  var lineEnding = LineEnding.cr

  @Flag(help: "Send nothing.")
  var readOnly = false

  @Flag(
    exclusivity: .chooseLast,
    help: """
      Lock the port (--exclusive, the default), or not (--shared). If two programs read from one \
      port, each misses a part of the data.
      """)
  var sharing: Sharing = .exclusive

  @OptionGroup(title: "LOG")
  var log: LogOptions

  @Option(help: "The key that starts a command: ctrl-a to ctrl-z, or none.")
  var prefix = PrefixKey.standard

  @Option(help: "Seconds to wait for an answer when standard input has ended.")
  var linger = 0.2

  @Option(
    help: """
      Seconds to wait for bytes that are still being sent: by default 0.3 when you quit, 1 when the \
      port is released.
      """)
  var drain: Double?

  @Option(help: "A signal that releases the port, and reopens it: USR1 or USR2.")
  var releaseOn: ReleaseSignal?

  @Flag(name: [.short, .long], help: "Print only failures.")
  var quiet = false

  @Option(
    help: .init(
      "Run a command with the port as its standard input and output.", valueName: "command"))
  var exec: String?

  @Flag(help: "For programs: events and received data as JSON lines, commands as JSON lines.")
  var json = false

  @OptionGroup(title: "CONFIGURATION")
  var profileOptions: ProfileOptions

  /// When what is typed is sent.
  enum InputMode: String, NamedChoice {
    case char, line
  }

  /// Whether others may open the port too.
  enum Sharing: String, EnumerableFlag {
    case exclusive, shared
  }

  func validate() throws {
    for (name, seconds) in [("linger", linger), ("drain", drain ?? 0)]
    where !(0...86_400).contains(seconds) {
      throw ValidationError("'--\(name) \(seconds)': expected seconds from 0 to 86400")
    }
    try line.validateLocking(sharing)
    if exec != nil && readOnly {
      throw ValidationError("--exec sends what its command writes, --read-only sends nothing")
    }
    if !more.isEmpty && exec != nil { throw ValidationError("--exec is for one device") }
    if json && exec != nil { throw ValidationError("--json and --exec are two ways to be driven") }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    if exec != nil || json { return try executeHeadless(in: context) }
    let others = context.others.compactMap { reading in
      (reading.command as? ConnectCommand).map { ($0, reading.late) }
    }
    let requests = ([(self, context.late)] + others).map { command, late in
      UserInterface.PortRequest(
        configuration: command.connectConfiguration,
        forDevice: late.map { late in
          { try late.command(for: $0, like: command).connectConfiguration }
        })
    }
    if requests.count > 1 {
      try validateSharedScreen()
      try Self.validateLogs(requests.map(\.configuration.session.log))
    }
    let further = context.further.map { further in
      { endpoint in
        (try further(endpoint) as? ConnectCommand ?? self).connectConfiguration
      }
    }
    return try UserInterface(requests, further: further, among: context.devices).run()
  }

  /// What several devices have in common cannot be what only one can have.
  private func validateSharedScreen() throws(Failure) {
    if view.settings.isRaw {
      throw Failure(
        .usage, "--raw lets a device draw on the whole screen: not with several devices.")
    }
    if !readOnly && isatty(STDIN_FILENO) == 0 {
      throw Failure(
        .usage,
        "several devices, and standard input is not a terminal: which one is it for? Use --read-only, or connect to one."
      )
    }
  }

  /// A log of several devices tells them apart.
  private static func validateLogs(_ logs: [LogConfiguration]) throws(Failure) {
    for file in LogConfiguration.shared(among: logs) where !file.options.namesPorts {
      throw Failure(
        .usage,
        "a raw log cannot tell devices apart, \(file.name.harmless). Name it .txt, .jsonl or .pcapng, or "
          + "put %t into its name, which stands for the device: log-%t.log is a log for each.")
    }
  }

  private func executeHeadless(in context: CommandContext) throws -> ExitStatus {
    let session = try HeadlessInterface(sessionConfiguration, among: context.devices)
    let json =
      exec == nil
      ? JSONController(session, linger: .seconds(linger), isReadOnly: readOnly) : nil
    if let late = context.late {
      session.configurationForDevice = { device in
        let command = try late.command(for: device, like: self)
        json?.linger = .seconds(command.linger)
        json?.setReadOnly(command.readOnly, port: 0)
        return command.sessionConfiguration
      }
    }
    guard let json else { return try ExecController(exec ?? "", session).run() }
    try addOthers(of: context, to: json)
    return try json.run()
  }

  /// Adds the further devices to what a program drives.
  private func addOthers(of context: CommandContext, to json: JSONController) throws {
    let others = context.others.compactMap { reading in
      (reading.command as? ConnectCommand).map { (command: $0, late: reading.late) }
    }
    guard !others.isEmpty else { return }
    let configurations = [connectConfiguration] + others.map(\.command.connectConfiguration)
    try Self.validateLogs(configurations.map(\.session.log))
    for (index, (command, late)) in others.enumerated() {
      json.add(
        command.sessionConfiguration, isReadOnly: command.readOnly,
        forDevice: late.map { late in
          { device in
            let known = try late.command(for: device, like: command)
            json.setReadOnly(known.readOnly, port: index + 1)
            return known.sessionConfiguration
          }
        })
    }
    json.name(PortNames(of: configurations).names)
  }
}

extension ConnectCommand {
  private var sessionConfiguration: SessionConfiguration {
    SessionConfiguration(
      target: target, settings: line.settings,
      linkOptions: line.linkOptions(isExclusive: sharing == .exclusive), onOpen: line.onOpen,
      // A command cannot be told that the device has gone, but by its end.
      reconnects: reconnect && !neverReconnect && exec == nil, waitsForAbsentDevice: wait,
      pacing: pacing.pacing, log: log.configuration, isQuiet: quiet)
  }

  private var connectConfiguration: ConnectConfiguration {
    ConnectConfiguration(
      session: sessionConfiguration, profile: profileOptions.profile,
      configuredKeys: Set(profileOptions.configuredKeys), echoesLocally: localEcho,
      isReadOnly: readOnly, editsLines: inputMode == .line, lineEnding: lineEnding,
      view: view.settings,
      filter: view.filter, showsStatus: view.status, printsLists: view.plain, prefix: prefix,
      linger: .seconds(linger), drain: drain.map { .seconds($0) }, releaseSignal: releaseOn)
  }
}

extension ConnectCommand: ProfiledCommand {
  static var profiledName: ProfiledCommandName { .connect }

  var namedTarget: Target? {
    get { target }
    set { target = newValue }
  }

  static var takesSeveralTargets: Bool { true }

  var moreTargets: [Target] { more }
}
