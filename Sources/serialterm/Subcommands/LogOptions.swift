import ArgumentParser
import Logs

/// What of a session is kept in files.
struct LogOptions: ParsableArguments {
  @Option(
    name: [.customShort("L"), .long],
    help: ArgumentHelp(
      "Keep what is received in a new file; may be given more than once.",
      discussion: """
        In the name, %Y, %m, %d, %H and all others of strftime stand for the time, %t for the port, \
        %% for a percent sign.
        """, valueName: "file"))
  var log: [String] = []

  @Option(
    help: ArgumentHelp(
      "raw, text, jsonl or pcapng. Without it: what the name ends with (.txt, .jsonl, .pcapng), "
        + "raw for every other.", valueName: "format"))
  var logFormat: LogFormat?

  @Flag(help: "Add to the log file if there is one.")
  var logAppend = false

  @Flag(help: "Log what is sent too: also passwords. Not in raw logs.")
  var logSent = false

  @Option(
    help: ArgumentHelp(
      "Begin a new log file before it has more bytes: 500k, 10M, 1G.",
      discussion: "The first becomes FILE.1, the next FILE.2; with --log-keep, the newest FILE.1.",
      valueName: "size"),
    transform: { try LogRotation.size(parsing: $0) })
  var logRotate: Int?

  @Option(
    help: ArgumentHelp("Begin a new log file after a time: 30s, 10m, 6h, 1d.", valueName: "time"),
    transform: { try LogRotation.interval(parsing: $0) })
  var logRotateEvery: Duration?

  @Option(
    help: ArgumentHelp(
      "How many old log files stay, FILE.1 the newest; without it, all.", valueName: "number"))
  var logKeep: Int?

  func validate() throws {
    if let logKeep, logKeep < 1 {
      throw ValidationError("'--log-keep \(logKeep)': expected 1 or more files")
    }
    if logKeep != nil && logRotate == nil && logRotateEvery == nil {
      throw ValidationError("--log-keep needs --log-rotate or --log-rotate-every")
    }
    let files = log.isEmpty ? [configuration.standardFile] : log
    if logSent, !files.contains(where: { configuration.options(for: $0).format.marksDirections }) {
      throw ValidationError("a raw log cannot tell what was sent; --log-format text can")
    }
  }

  var configuration: LogConfiguration {
    var options = Log.Options()
    options.logsSent = logSent
    options.appends = logAppend
    options.rotation = LogRotation(size: logRotate, interval: logRotateEvery, keep: logKeep)
    return LogConfiguration(files: log, format: logFormat, options: options)
  }
}

extension LogFormat: NamedChoice {}
