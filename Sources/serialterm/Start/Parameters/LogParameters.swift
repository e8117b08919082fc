import Logs
import Options
import Sessions
import SystemPackage

/// The parameters of logs.
enum LogParameters {
  static let log = Parameter<[String]>.list(
    "log", letter: "L", "FILE", "Log what is received to a new file; can be repeated.",
    details: """
      In the name, %Y, %m, %d, %H and the others of strftime(3) are the time, %t is the port, %% is \
      a percent sign. Without %t, several devices have one log, in which each entry names its own.
      """, completion: .files, parse: checkedName)

  static let format = Parameter<LogFormat?>.choice(
    "log-format", "FORMAT",
    "\(formats). By default the file's suffix decides: \(suffixes), otherwise raw.")

  private static let formats: String = {
    let names = LogFormat.allCases.map { $0.rawValue + ($0.note.map { " \($0)" } ?? "") }
    return names.dropLast().joined(separator: ", ") + ", or \(names.last ?? "")"
  }()
  private static let suffixes =
    LogFormat.allCases.filter { $0 != .raw }.map(\.suffix).joined(separator: ", ")

  static let append = Parameter.flag("log-append", "Append to a log file that exists.")

  static let rotate = Parameter<Int?>.option(
    "log-rotate", "SIZE", "Start a new log file before it exceeds a size: 500k, 10M, 1G.",
    details:
      "The old files become FILE.1, FILE.2 and so on; with --log-keep, FILE.1 is the newest.",
    parse: { try LogRotation.size(parsing: $0) })

  static let rotateEvery = Parameter<Duration?>.option(
    "log-rotate-every", "TIME", "Start a new log file after a time: 30s, 10min, 6h, 1d.",
    parse: { try LogRotation.interval(parsing: $0) })

  static let keep = Parameter<Int?>.option(
    "log-keep", "NUMBER", "Keep this many old log files, FILE.1 the newest. By default all.",
    kind: .wholeNumber, parse: { try Int.number($0, of: "files", in: 1...Int.max) })

  static let sent = Parameter.flag(
    "log-sent", "Log what is sent too, passwords included. Not in raw logs.")

  static let share = Setting.ofSession(
    .flag("log-share", "Let those who join the session read its log, from its beginning."),
    changedBy: .shareLog
  ) { "\($0.sharesLog)" }

  /// The parameters of writing a log file.
  static let files: [any Declared] = [format, append, rotate, rotateEvery, keep]

  static let section = ParameterSection("LOG", [log] + files + [sent])

  /// The section for a session that others can join.
  static let sectionWithSharing = ParameterSection("LOG", [log] + files + [sent, share])

  /// The section for a command that shows nothing: its logs alone have the encoding and the frames.
  static let sectionWithText = ParameterSection("LOG", [log] + files + [sent, share] + text)

  /// The parameters for the text in logs.
  static let text: [any Declared] = [TextParameters.encoding, ViewParameters.frames]

  /// Checks the name of a log file.
  ///
  /// - Throws: `ValueError`.
  @Sendable static func checkedName(_ name: String) throws(ValueError) -> String {
    if name.isEmpty { throw ValueError(name, expected: "the name of a file") }
    if name == "-" {
      throw ValueError(
        "'-' would be standard output. A pipe gets the bytes too: 'serialterm connect TARGET | COMMAND'; "
          + "./- is a file called -")
    }
    if isNode(name) {
      throw ValueError(
        "'\(name)' is not a log file but a device, which is named without an option")
    }
    return name
  }

  /// Whether a file has the path of a serial port. In tio(1), `--log` has no value: here, a
  /// habitual `--log /dev/ttyUSB0` would create a regular file in place of a missing node.
  private static func isNode(_ file: String) -> Bool {
    let path = FilePath(file).lexicallyNormalized()
    return path.starts(with: "/dev/serial") || path.string.hasPrefix("/dev/tty")
  }
}

extension Values {
  /// The logs of a session.
  var logConfiguration: LogConfiguration {
    var configuration = logConfiguration(files: self[LogParameters.log])
    configuration.options.logsSent = self[LogParameters.sent]
    return configuration
  }

  /// The logs for the given files.
  func logConfiguration(files: [String]) -> LogConfiguration {
    var options = Log.Options()
    options.appends = self[LogParameters.append]
    options.rotation = LogRotation(
      size: self[LogParameters.rotate], interval: self[LogParameters.rotateEvery],
      keep: self[LogParameters.keep])
    options.frameForm = self[ViewParameters.frames]
    var configuration = LogConfiguration(
      files: files, format: self[LogParameters.format], options: options)
    configuration.encoding = self[TextParameters.encoding]
    configuration.isForMembers = self[LogParameters.share]
    return configuration
  }

  /// Checks the combination of the log parameters.
  ///
  /// - Throws: `UsageError`.
  func checkLogs() throws(UsageError) {
    try checkRotation()
    let configuration = logConfiguration
    try checkAppending(to: configuration)
    let names =
      configuration.files.isEmpty ? [configuration.standard.name] : configuration.files
    if self[LogParameters.sent],
      !names.contains(where: { configuration.log(in: $0).options.format.hasEvents })
    {
      throw UsageError(
        about: ["log-sent", "log-format", "log"],
        "--log-sent needs a \(LogFormat.allCases.filter(\.hasEvents).alternatives(\.rawValue)) log")
    }
  }

  /// Checks that no table is appended to.
  ///
  /// - Throws: `UsageError`.
  func checkAppending(to configuration: LogConfiguration) throws(UsageError) {
    guard self[LogParameters.append],
      let table = configuration.files.first(where: {
        !configuration.log(in: $0).options.format.canBeContinued
      })
    else { return }
    throw UsageError(
      about: ["log-append", "log-format", "log"],
      "--log-append cannot continue the CSV log \(table): its first line has fixed the columns")
  }

  /// Checks that the option for keeping old files is only used where there are any.
  ///
  /// - Throws: `UsageError`.
  func checkRotation() throws(UsageError) {
    if self[LogParameters.keep] != nil && self[LogParameters.rotate] == nil
      && self[LogParameters.rotateEvery] == nil
    {
      throw UsageError(
        about: ["log-keep"], "--log-keep needs --log-rotate or --log-rotate-every")
    }
  }
}
