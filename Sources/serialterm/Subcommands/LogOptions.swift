import ArgumentParser
import Logs
import SessionKit
import SystemPackage

/// The logs of a session.
struct LogOptions: ParsableArguments {
  @Option(
    name: [.customShort("L"), .long],
    help: ArgumentHelp(
      "Log what is received to a new file; can be repeated.",
      discussion: """
        In the name, %Y, %m, %d, %H and the others of strftime(3) are the time, %t is the port, \
        %% is a percent sign. Without %t, several devices have one log, in which each entry names \
        its own.
        """, valueName: "file"))
  var log: [String] = []

  @OptionGroup
  var files: LogFileOptions

  @Flag(help: "Log what is sent too, passwords included. Not in raw logs.")
  var logSent = false

  func validate() throws {
    try files.validate(files: log)
    let configuration = configuration
    let names = log.isEmpty ? [configuration.standard.name] : log
    if logSent, !names.contains(where: { configuration.log(in: $0).options.format.marksDirections })
    {
      throw ValidationError("a raw log cannot tell what was sent; --log-format text can")
    }
  }

  var configuration: LogConfiguration {
    var configuration = files.configuration(files: log)
    configuration.options.logsSent = logSent
    return configuration
  }
}

/// How log files are written.
struct LogFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "raw, text, jsonl or pcapng. By default the file's suffix decides: .txt, .jsonl, .pcapng, "
        + "otherwise raw.", valueName: "format"))
  var logFormat: LogFormat?

  @Flag(help: "Append to a log file that exists.")
  var logAppend = false

  @Option(
    help: ArgumentHelp(
      "Start a new log file before it exceeds a size: 500k, 10M, 1G.",
      discussion:
        "The old files become FILE.1, FILE.2 and so on; with --log-keep, FILE.1 is the newest.",
      valueName: "size"),
    transform: { try LogRotation.size(parsing: $0) })
  var logRotate: Int?

  @Option(
    help: ArgumentHelp("Start a new log file after a time: 30s, 10m, 6h, 1d.", valueName: "time"),
    transform: { try LogRotation.interval(parsing: $0) })
  var logRotateEvery: Duration?

  @Option(
    help: ArgumentHelp(
      "Keep this many old log files, FILE.1 the newest. By default all.", valueName: "number"))
  var logKeep: Int?

  /// Checks the options, and the names of the files.
  ///
  /// - Throws: `ValidationError`.
  func validate(files: [String]) throws {
    if let logKeep, logKeep < 1 {
      throw ValidationError("'--log-keep \(logKeep)': expected 1 or more files")
    }
    if logKeep != nil && logRotate == nil && logRotateEvery == nil {
      throw ValidationError("--log-keep needs --log-rotate or --log-rotate-every")
    }
    if files.contains("-") {
      throw ValidationError(
        "'-' is not a log file: 'serialterm connect' writes to standard output without a log, "
          + "and ./- is a file called -")
    }
    if let node = files.first(where: Self.isNode) {
      throw ValidationError(
        "'\(node)' is not a log file: --log needs the name of a file, and the device is named "
          + "without an option")
    }
  }

  /// Whether a file has the path of a serial port. In tio(1) `--log` has no value: here, a habitual
  /// `--log /dev/ttyUSB0` would create a regular file in the place of a node that is not there.
  private static func isNode(_ file: String) -> Bool {
    let path = FilePath(file).lexicallyNormalized()
    return path.starts(with: "/dev/serial") || path.string.hasPrefix("/dev/tty")
  }

  /// The configuration of logs in these files.
  func configuration(files: [String]) -> LogConfiguration {
    var options = Log.Options()
    options.appends = logAppend
    options.rotation = LogRotation(size: logRotate, interval: logRotateEvery, keep: logKeep)
    return LogConfiguration(files: files, format: logFormat, options: options)
  }
}

extension LogFormat: NamedChoice {}
