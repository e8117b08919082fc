import Configuration
import DeviceWatch
import Glibc
import Options
import Posix
import Sessions
import SystemPackage
import Terminal

/// `serialterm serve`: makes ports available to programs elsewhere.
struct ServeCommand: ProfiledCommand {
  private static let targets = Parameter<[Target]>.arguments(
    "target",
    "The device: see 'serialterm help targets'. Without it, the only one. Several are served by one "
      + "program, each at an address of its own: its place in the order, or that of its profile.",
    completion: Target.completion, parse: { try Target(parsing: $0) })

  private static let stdio = Parameter.flag(
    "stdio", "Serve one client on standard input and output, as ssh runs it.",
    isConfigurable: false)

  private static let profiles = Parameter.flag(
    "profiles", "Serve each profile that has 'listen' or 'unix', in place of TARGET.",
    details:
      "One that cannot be served is named, and does not keep the others from being served.",
    isConfigurable: false)

  static let description = CommandDescription(
    "serve", "Make ports available to programs elsewhere.",
    """
    Clients of RFC 2217, such as 'serialterm connect rfc2217://HOST:PORT', pyserial and esptool, also \
    set the line. Any number of clients see what the device sends; one of them has the pen, the right to write. \
    The port stays open between clients, and is opened again when its device returns. SIGTERM and SIGINT end it; \
    --stdio ends with its client.
    """,
    example: """
      serialterm serve ttyUSB0 --listen 4000
      serialterm connect rfc2217://localhost:4000    # in another terminal
      """,
    mostUsed: [
      SharingParameters.listen, SharingParameters.unix, stdio, SharingParameters.clientProtocol,
      SharingParameters.writers, SharingParameters.allow, SharingParameters.backlog,
      SharingParameters.web,
      LineParameters.baud, LogParameters.log,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [targets]),
      ParameterSection(
        "CLIENTS",
        SharingParameters.places + [stdio, profiles] + SharingParameters.rules
          + SharingParameters.backlogs + SharingParameters.page),
      ParameterSection("CONNECTION", [SessionParameters.exclusive, SessionParameters.quiet]),
      LineParameters.section,
      ParameterSection("PACING", [PacingParameters.byteDelay, PacingParameters.lineDelay]),
      LogParameters.sectionWithText, SessionParameters.configuration,
    ])

  let values: Values
  /// The place of the port among several, whose addresses on the command line are in the same
  /// order; nil if all of them are its own.
  private var place: Int?
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    let targets = values[Self.targets]
    namedTarget = targets.first
    if values[Self.stdio], targets.count > 1 {
      throw UsageError(about: ["stdio"], "--stdio is for one device")
    }
    try values.checkSession()
    try values.checkPage()
    if values[SharingParameters.backlogUntilRead], values[SharingParameters.backlog] == nil {
      throw UsageError(
        about: ["backlog-until-read"], "--backlog-until-read needs --backlog SIZE or TIME")
    }
  }

  static let takesSeveralTargets = true

  static func targets(of given: Given, in file: ProfileFile) throws -> [String] {
    let named = given["target"] ?? []
    guard given[profiles.name] != nil else { return named }
    guard named.isEmpty else {
      throw UsageError(about: ["profiles"], "--profiles names the devices: leave out TARGET")
    }
    let places = [SharingParameters.listen.name, SharingParameters.unix.name]
    for name in places + [stdio.name, "profile"] where given[name] != nil {
      throw UsageError(about: ["profiles", name], "--profiles and --\(name) exclude each other")
    }
    let names = file.contents.profiles.filter { profile in
      places.contains { profile[$0].map { $0.value != .boolean(false) } ?? false }
    }.map(\.name)
    guard !names.isEmpty else {
      let place = file.path.map { "in \($0)" } ?? "because there is no configuration file"
      throw Failure(
        .usage,
        "no profile has 'listen' or 'unix' \(place). Write listen = \"4001\" below a [profile.NAME]."
      )
    }
    return names
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let others = context.others.compactMap { reading in
      (reading.command as? ServeCommand).map { ($0, reading.deviceProfile) }
    }
    var commands = [(self, context.deviceProfile)] + others
    let servesProfiles = values[Self.profiles]
    if servesProfiles {
      commands = try Self.servable(commands)
    } else {
      if !others.isEmpty { commands = try Self.paired(commands) }
      // Checked here, because profiles may name the listen addresses.
      for (command, _) in commands { try command.checkAddresses(isAlone: others.isEmpty) }
      if !others.isEmpty { try Self.checkThatAddressesDiffer(commands.map(\.0.listenAddresses)) }
    }
    let names = PortNames(of: commands.map(\.0)).names
    if commands.count > 1 {
      try ConnectCommand.validateLogs(commands.map(\.0.values.logConfiguration))
    }
    let (first, firstProfile) = commands[0]
    let interface = try HeadlessInterface(
      first.sessionConfiguration, for: .service, of: "serve", among: context.devices,
      forDevice: first.configuration(following: firstProfile))
    interface.goesOnWithoutFailed = servesProfiles
    for (command, profile) in commands.dropFirst() {
      interface.add(
        command.sessionConfiguration, forDevice: command.configuration(following: profile))
    }
    if servesProfiles || commands.count > 1 { interface.name(names) }
    return try ServeController(
      interface,
      serving: commands.map { (command, _) throws(Failure) in
        ServeController.Service(
          addresses: command.listenAddresses, rules: try command.values.servingRules,
          writers: command.values[SharingParameters.writers].rule,
          page: command.values.pagePlace)
      }
    ).run()
  }

  private var listenAddresses: [PortServer.ListenAddress] {
    (values[Self.stdio] ? [PortServer.ListenAddress(.standardStreams)] : [])
      + SharingParameters.addresses.flatMap { parameter in
        let all = values[parameter]
        return place.flatMap { values.given[parameter.name] == nil ? nil : [all[$0]] } ?? all
      }
  }

  /// The commands of several ports, each with its own of the addresses on the command line.
  ///
  /// - Throws: ``Failure`` if there are fewer addresses than ports, or more.
  private static func paired(
    _ commands: [(ServeCommand, DeviceProfile?)]
  ) throws(Failure) -> [(ServeCommand, DeviceProfile?)] {
    let values = commands[0].0.values
    for parameter in SharingParameters.addresses where values.given[parameter.name] != nil {
      let addresses = values[parameter]
      guard addresses.count != commands.count else { continue }
      let left =
        addresses.count < commands.count
        ? "\(PortNames(of: commands.map(\.0)).names[addresses.count]) has none"
        : "\(addresses[commands.count].name) has no port"
      throw Failure(
        .usage,
        "--\(parameter.name): \(addresses.count == 1 ? "1 address" : "\(addresses.count) addresses") for "
          + "\(commands.count) ports; \(left). Give --\(parameter.name) once for each port, "
          + "in their order, or '\(parameter.name)' in the profile of each.")
    }
    return commands.enumerated().map { index, each in
      var (command, profile) = each
      command.place = index
      return (command, profile)
    }
  }

  private func checkAddresses(isAlone: Bool) throws(Failure) {
    guard listenAddresses.isEmpty && values.pagePlace == nil else {
      guard !values[Self.stdio] || !FileDescriptor.standardInput.isTerminal else {
        throw Failure(
          .usage, "--stdio is for ssh and other programs: standard input is a terminal.")
      }
      return
    }
    throw Failure(
      .usage,
      isAlone
        ? "say where clients connect: --listen PORT, --unix PATH, --web PORT or --stdio. "
          + "See 'serialterm serve --help'."
        : "\(profile.name ?? "a port"): say where clients connect: 'listen' or 'unix' of its profile, or "
          + "--listen once for each port."
    )
  }

  /// The commands of profiles that can be served. The others are reported.
  ///
  /// - Throws: ``Failure`` if there is none.
  private static func servable(
    _ commands: [(ServeCommand, DeviceProfile?)]
  ) throws(Failure) -> [(ServeCommand, DeviceProfile?)] {
    var owners: [PortServer.ListenAddress.Place: String] = [:]
    let servable = commands.filter { command, _ in
      let name = command.profile.name ?? "a port"
      guard let reason = command.reasonNotToServe(besides: owners) else {
        for address in command.listenAddresses { owners[address.place] = name }
        return true
      }
      StandardStream.complain("\(name) is not served: \(reason)")
      return false
    }
    guard !servable.isEmpty else { throw Failure(.usage, "no profile can be served.") }
    return servable
  }

  /// The reason why the profile cannot be served; nil if it can.
  ///
  /// - Parameter owners: the profiles at the addresses that are taken.
  private func reasonNotToServe(
    besides owners: [PortServer.ListenAddress.Place: String]
  ) -> String? {
    if namedTarget == nil { return "it has no 'target'." }
    for address in listenAddresses {
      if let owner = owners[address.place] { return "\(address.name) leads to \(owner)." }
    }
    if listenAddresses.isEmpty { return "its 'listen' and 'unix' are empty." }
    do throws(Failure) {
      _ = try values.servingRules
      return nil
    } catch {
      return error.message
    }
  }

  /// Checks that each port has addresses of its own.
  private static func checkThatAddressesDiffer(
    _ addresses: [[PortServer.ListenAddress]]
  ) throws(Failure) {
    var places: Set<PortServer.ListenAddress.Place> = []
    for address in addresses.joined() where !places.insert(address.place).inserted {
      throw Failure(
        .usage,
        "\(address.name) leads to one port: give each an address of its own, with --listen or --unix "
          + "in the order of the ports, or 'listen' or 'unix' of its profile.")
    }
  }

  private func configuration(
    following profile: DeviceProfile?
  ) -> ((Device) throws -> SessionConfiguration)? {
    profile.map { profile in { try profile.command(for: $0, like: self).sessionConfiguration } }
  }

  private var sessionConfiguration: SessionConfiguration {
    let isAlone = values[Self.stdio]
    return SessionConfiguration(
      target: namedTarget, settings: values.lineSettings, linkOptions: values.linkOptions,
      onOpen: values[LineParameters.onOpen], reconnects: !isAlone, waitsForAbsentDevice: !isAlone,
      pacing: values.pacing, log: values.logConfiguration,
      isQuiet: values[SessionParameters.quiet] || isAlone
    ).of(profile)
  }
}
