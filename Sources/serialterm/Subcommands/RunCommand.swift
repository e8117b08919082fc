import ArgumentParser
import Scripting
import SessionKit
import TerminalFrontEnd

/// `serialterm run`: runs a script that talks to a device.
struct RunCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a script that talks to a device.",
    discussion: """
      A script has one step on each line. If a line has a mistake, nothing is sent. What the device \
      sends and what the script prints goes to standard output. The exit status is 0 at the end of \
      the script, 10 after a timeout, 1 after 'fail'.

        send "text\\r"            escapes: \\r \\n \\t \\e \\0 \\\\ \\" \\$ \\xHH
        expect /regex/           $1 is then the text of group 1
        expect /regex/ within 10s
        expect-one-of {          waits for the first of several
          /OK/
          /ERROR (.*)\\r/ {
            fail "the board says $1"
          }
        }
        repeat 3 {
          print "text"
        }
        wait 500ms
        set rts off
        set baud 9600
        pulse dtr 100ms
        break 250ms

      EXAMPLE:
        echo 'expect /board> /' | serialterm run loopback:board -
      """)

  @Argument(
    help: "The device.", completion: Target.completion, transform: { try Target(parsing: $0) })
  var target: Target

  @Argument(help: "The script's file; - for standard input.", completion: .file())
  var script: String

  @Option(help: "Seconds to wait for each expected text, unless the script says 'within'.")
  var timeout = 5.0

  @Option(
    help: .init(
      "Seconds until the whole script fails, including the wait for the device. By default no limit.",
      valueName: "seconds"))
  var deadline: Double?

  @Option(
    help: .init(
      """
      Write what happened in each step to a file: junit=FILE or json=FILE; can be repeated. An \
      existing file is replaced.
      """, valueName: "format=file"),
    transform: { try ReportFile.Name(parsing: $0) })
  var report: [ReportFile.Name] = []

  @OptionGroup
  var options: HeadlessOptions

  @OptionGroup(title: "CONFIGURATION")
  var profileOptions: ProfileOptions

  func validate() throws {
    guard (0.001...86_400).contains(timeout) else {
      throw ValidationError("'--timeout \(timeout)': expected seconds from 0.001 to 86400")
    }
    if let deadline, !(0.001...604_800).contains(deadline) {
      throw ValidationError("'--deadline \(deadline)': expected seconds from 0.001 to 604800")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let name = script == "-" ? "standard input" : script
    let dialogue: Dialogue
    do {
      dialogue = try Dialogue(parsing: try InputFile.read(script, atMost: Dialogue.largestScript))
    } catch let error as DialogueError {
      throw Failure(.usage, "\(name):\(error)")
    } catch {
      throw Failure(.usage, "\(name): the script cannot be read (\(error)).")
    }
    // A port is not opened, and a board not reset, if the report cannot be written.
    let files = try report.map { try ReportFile($0) }
    let session = try HeadlessInterface(
      options.configuration(target: target), among: context.devices)
    let controller = RunController(
      dialogue, from: name, timeout: .seconds(timeout), showsDevice: !options.quiet, session)
    controller.deadline = deadline.map { .seconds($0) }
    if let late = context.late {
      session.configurationForDevice = { device in
        let command = try late.command(for: device, like: self)
        controller.deadline = command.deadline.map { .seconds($0) }
        controller.timeout = .seconds(command.timeout)
        controller.showsDevice = !command.options.quiet
        return command.options.configuration(target: target)
      }
    }
    let outcome = Result { try controller.run() }
    for file in files {
      do {
        try file.write(controller.report)
      } catch {
        // The first failure decides the exit status.
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

extension RunCommand: ProfiledCommand {
  static var profiledName: ProfiledCommandName { .run }

  var namedTarget: Target? {
    get { target }
    set { if let newValue { target = newValue } }
  }
}
