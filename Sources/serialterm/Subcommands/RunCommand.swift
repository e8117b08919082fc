import ArgumentParser
import Scripting

/// `serialterm run`: a dialogue with a device, from a script.
struct RunCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Have a dialogue with a device, from a script.",
    discussion: """
      A script has a step a line; nothing is sent if one of them is wrong. What the device sends \
      goes to standard output, with what the script prints. The exit status is 0 at the script's \
      end, 10 when something that was expected did not come in time, 1 where the script says fail.

        send "text\\r"                    \\r \\n \\t \\e \\0 \\\\ \\" \\$ \\xHH; $1 is the last group 1
        expect /regex/                   or: expect /regex/ within 10s
        expect-one-of {                  the first to come; each may have steps of its own
          /OK/
          /ERROR (.*)\\r/ {
            fail "the board says $1"
          }
        }
        wait 500ms     break 250ms      pulse dtr 100ms
        set rts off    set baud 9600    repeat 3 { ... }    print "text"

      EXAMPLE:
        echo 'expect /board> /' | serialterm run loopback:board -
      """)

  @Argument(
    help: "The device.", completion: Target.completion, transform: { try Target(parsing: $0) })
  var target: Target

  @Argument(help: "The script's file; - for standard input.", completion: .file())
  var script: String

  @Option(help: "Seconds that what is expected may take where the script does not say.")
  var timeout = 5.0

  @OptionGroup
  var options: UnattendedOptions

  @OptionGroup(title: "CONFIGURATION")
  var profileOptions: ProfileOptions

  func validate() throws {
    guard (0.001...86_400).contains(timeout) else {
      throw ValidationError("'--timeout \(timeout)': expected seconds from 0.001 to 86400")
    }
  }

  func execute() throws -> ExitStatus { try execute(nil) }

  func execute(_ late: LateProfile?) throws -> ExitStatus {
    let name = script == "-" ? "standard input" : script
    let dialogue: Dialogue
    do {
      dialogue = try Dialogue(parsing: try InputFile.read(script, atMost: Dialogue.largestScript))
    } catch let error as DialogueError {
      throw Failure(.usage, "\(name):\(error)")
    } catch {
      throw Failure(.usage, "\(name): \(error)")
    }
    let session = try UnattendedSession(options.configuration(target: target))
    let controller = RunController(
      dialogue, from: name, timeout: .seconds(timeout), showsDevice: !options.quiet, session)
    if let late {
      session.configurationForDevice = { device in
        let command = try late.command(for: device, like: self)
        controller.timeout = .seconds(command.timeout)
        controller.showsDevice = !command.options.quiet
        return command.options.configuration(target: target)
      }
    }
    return try controller.run()
  }
}

extension RunCommand: ProfiledCommand {
  static var profiledName: ProfiledCommandName { .run }

  var namedTarget: Target? {
    get { target }
    set { if let newValue { target = newValue } }
  }
}
