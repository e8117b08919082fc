import Options
import Sessions
import Terminal
import Time

/// `serialterm run`: runs a script that talks to a device.
struct RunCommand: ProfiledCommand {
  private static let script = Parameter<String>.argument(
    "script", "The script's file; - for standard input.", completion: .files, standard: "",
    parse: { $0 })
  private static let timeout = Parameter<Double>.time(
    "timeout", "How long to wait for each expected text, unless the script says 'within'.",
    0.001...86_400, standard: Script.timeout.secondsAsNumber)
  private static let deadline = Parameter<Double?>.time(
    "deadline",
    "The whole script fails after this time, which includes the waits for its file and for the device. By default no limit.",
    0.001...604_800)
  private static let report = Parameter<[ReportFile.Name]>.list(
    "report", "FORMAT=FILE",
    "Write what happened in each step to a file: junit=FILE or json=FILE; can be repeated.",
    details: "An existing file is replaced.", isConfigurable: false,
    completion: .found { request in
      Completion.Proposal(
        ["junit=", "json="].map { Completion.Candidate($0, isBeginning: true) },
        filesAfter: request.text.firstIndex(of: "=").map { request.text[...$0].count })
    }, parse: { try ReportFile.Name(parsing: $0) })

  static let description = CommandDescription(
    "run", "Run a script that talks to a device.",
    """
    A script has one step on each line. If a line has a mistake, nothing is sent. What the device \
    sends and what the script prints goes to standard output. The exit status is 0 at the end of \
    the script, 10 after a timeout, 1 after 'fail'.

      send "text\\r"            escapes: \\r \\n \\t \\e \\0 \\\\ \\" \\$ \\xHH
      expect /regex/           $1 is then the text of group 1
      expect /regex/ within 10s
      expect frame             frame of --frames FORM, not bad; $1 is its line
      expect-one-of {          waits for the first of several
        /OK/
        /ERROR (.*)\\r/ {
          fail "the board says $1"
        }
      }
      repeat 9 every 1s until /OK/ {
        send "AT\\r"           'every 1s' and 'until /OK/' can be left out
      }
      print "text"
      try {                    after a timeout in it, 'else' follows
        expect /login:/ within 2s
      } else {
        send "\\r"
      }
      wait 500ms
      set rts off
      set baud 9600
      pulse dtr 100ms
      break 250ms
    """,
    example: """
      serialterm run ttyUSB0 login.script --deadline 1min
      echo 'expect /board> /' | serialterm run loopback:board -
      """,
    mostUsed: [
      timeout, deadline, report, LineParameters.baud, LogParameters.log, SessionParameters.wait,
      SessionParameters.quiet,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.target, script]),
      ParameterSection(
        "SCRIPT",
        [
          Self.timeout, Self.deadline, FailureSearch.parameter, report, ProgressDisplay.parameter,
          TextParameters.encoding, ViewParameters.frames,
        ]),
    ] + SessionParameters.headless)

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    namedTarget = values[SessionParameters.target]
    try values.checkSession()
  }

  private var timeout: Duration { Duration(rounding: values[Self.timeout]) }
  private var deadline: Duration? { values[Self.deadline].map { Duration(rounding: $0) } }
  private var isQuiet: Bool { values[SessionParameters.quiet] }

  private var sessionConfiguration: SessionConfiguration {
    session(reconnects: false)
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let start = MonotonicTime.now
    let script = try Script(
      reading: values[Self.script], by: deadline.map { start + $0 }, followsTarget: true)
    try script.checkFrames(isFramed: values[ViewParameters.frames] != nil)
    // If the report cannot be written, the port is not opened, and the board is not reset.
    let files = try values[Self.report].map { try ReportFile($0) }
    var running: RunController?
    let session = try HeadlessInterface(
      sessionConfiguration, of: "run", among: context.devices,
      forDevice: context.deviceProfile.map { profile in
        { device in
          let command = try profile.command(for: device, like: self)
          running?.deadline = command.deadline
          running?.timeout = command.timeout
          running?.showsDevice = !command.isQuiet
          running?.failure = command.values[FailureSearch.parameter]
          running?.progress.style = command.values[ProgressDisplay.parameter]
          return command.sessionConfiguration
        }
      })
    let controller = RunController(
      script, timeout: timeout, framedBy: values[ViewParameters.frames], showsDevice: !isQuiet,
      since: start, session)
    controller.deadline = deadline
    controller.failure = values[FailureSearch.parameter]
    controller.progress.style = values[ProgressDisplay.parameter]
    running = controller
    let outcome = Result { try controller.run() }
    for file in files {
      do {
        try file.write(controller.report)
      } catch {
        // The first failure determines the exit status.
        guard case .success(.done) = outcome else {
          StandardStream.complain(error.message)
          continue
        }
        throw error
      }
    }
    return try outcome.get()
  }
}
