import Glibc
import Logs
import Options
import Plotting
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// `serialterm plot`: shows numbers as curves, of devices or from files.
struct PlotCommand: ProfiledCommand {
  private static let sources = Parameter<[PlotSource]>.arguments(
    "target",
    "A device (see 'serialterm help targets'), or a file: a log in any format, CSV, or - for standard "
      + "input. Several are shown in one plot.",
    completion: Target.completion, parse: { try PlotSource(parsing: $0) })

  static let description = CommandDescription(
    "plot", "Show the numbers that a device sends as curves.",
    """
    Reads lines of numbers from devices or from files, and draws a curve for each series. The form of the \
    lines is detected: values (1,2,3, with or without a header), labels (temp:25.3), pairs (temp=25.3), \
    Teleplot's (>temp:25.3) and JSON; other lines are skipped. ? lists the keys of the plot, q ends it.

    Without a terminal, the values are written to --csv, the picture to --svg, or a table of the series to \
    standard output. A device is then read until a signal, or for the time of --deadline.
    """,
    example: """
      serialterm plot ttyUSB0 -b 115200
      serialterm plot loopback:board           # a simulated board: type sensor
      serialterm plot ttyUSB0 --match 'T=(?<temp>[-0-9.]+)' --window 10m
      serialterm plot board.jsonl --svg board.svg --csv board.csv
      """,
    mostUsed: [
      LineParameters.baud, PlotParameters.csv, PlotParameters.svg, PlotParameters.match,
      PlotParameters.window, PlotParameters.range,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [sources]),
      PlotParameters.section,
      ParameterSection(
        "CONNECTION",
        [SessionParameters.wait, ConnectCommand.reconnect, SessionParameters.exclusive]),
      LineParameters.section, KeyboardParameters.besidePlot,
      ParameterSection(
        "VIEW",
        [
          ViewParameters.timestamps, ViewParameters.map, ViewParameters.highlight,
          ViewParameters.status, ViewParameters.scrollback, ViewParameters.plain,
        ]),
      LogParameters.section,
      ParameterSection("MESSAGES", [SessionParameters.quiet]), SessionParameters.configuration,
    ])

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    try values.checkPlot()
    try values.checkSession()
    let sources = values[Self.sources]
    for case .target(let target) in sources.prefix(1) { namedTarget = target }
    let fileCount = sources.count(where: \.isFile)
    if fileCount > 0, fileCount < sources.count {
      throw UsageError(
        about: [], "files and devices cannot be in one plot: files have the time of their logs")
    }
    if fileCount == 0, values[PlotParameters.rate] != nil {
      throw UsageError(about: ["rate"], "--rate is for files without times")
    }
    if fileCount > 0, values[PlotParameters.deadline] != nil {
      throw UsageError(about: ["deadline"], "--deadline is for devices: a file has an end")
    }
  }

  static let takesSeveralTargets = true

  /// Files have no profile.
  static func profiled(for given: Given) -> (any ProfiledCommand.Type)? {
    let texts = given[sources.name] ?? []
    return texts.contains(where: PlotSource.isFile) ? nil : Self.self
  }

  private var files: [String] {
    values[Self.sources].compactMap { if case .file(let path) = $0 { path } else { nil } }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    guard files.isEmpty else {
      return try FilePlot(files, values).run()
    }
    return try plotDevices(in: context)
  }

  // MARK: Devices

  private func plotDevices(in context: CommandContext) throws -> ExitStatus {
    guard try values.mayWritePlot() else { return .done }
    let others = context.others.compactMap { reading in
      (reading.command as? PlotCommand).map { ($0, reading.deviceProfile) }
    }
    let requests = ([(self, context.deviceProfile)] + others).map { command, profile in
      UserInterface.PortRequest(
        configuration: command.connectConfiguration,
        forDevice: profile.map { profile in
          { try profile.command(for: $0, like: command).connectConfiguration }
        })
    }
    let isUnattended =
      !FileDescriptor.standardInput.isTerminal
      || !FileDescriptor.standardOutput.isTerminal
    if isUnattended || values[PlotParameters.csv] == "-" {
      let names = PortNames(of: requests.map(\.configuration)).names
      let sessions = zip(names, requests).map { name, request in
        DevicePlot.Request(
          name: name, configuration: request.configuration.session,
          forDevice: request.forDevice.map { forDevice in { try forDevice($0).session } })
      }
      return try DevicePlot(sessions, values, among: context.devices).run()
    }
    return try UserInterface(requests, among: context.devices).run()
  }

  private var connectConfiguration: ConnectConfiguration {
    var session = session(reconnects: values[ConnectCommand.reconnect])
    session.log.options.sampleForm = values.sampleForm
    if let csv = values[PlotParameters.csv], csv != "-" {
      session.log.files.append(csv)
      session.log.tables.append(csv)
      // The user was asked before.
      session.log.replaced.append(csv)
    }
    var configuration = configuration(of: session, linger: .milliseconds(200))
    configuration.plot = PlotController.Configuration(
      form: values.sampleForm, settings: values.plotSettings(unlessGiven: .seconds(60)),
      isWholeProgram: true, picture: values[PlotParameters.svg].map { FilePath($0) },
      pictureWindow: values[PlotParameters.window] ?? .all,
      deadline: values[PlotParameters.deadline].map { Duration(rounding: $0) })
    return configuration
  }
}

/// What `serialterm plot` reads.
enum PlotSource: Hashable {
  case target(Target)
  case file(String)

  var isFile: Bool { if case .file = self { true } else { false } }

  /// Parses an argument: a path to a regular file or a named pipe, `-`, or a TARGET.
  ///
  /// - Throws: ``Failure`` if it is malformed.
  init(parsing text: String) throws(Failure) {
    if Self.isFile(text) {
      self = .file(text)
      return
    }
    let target = try Target(parsing: text)
    // Devices have no suffix.
    if case .endpoint(let endpoint) = target, let path = endpoint.path, path.extension != nil,
      !text.hasPrefix("/dev/"), (try? path.stat()) == nil
    {
      throw Failure(.usage, "\(text): there is no such file, and no such device.")
    }
    self = .target(target)
  }

  /// Whether an argument is a file.
  static func isFile(_ text: String) -> Bool {
    if text == "-" { return true }
    let type = try? FilePath(text).stat().type
    return type == .regular || type == .fifo
  }
}
