import ArgumentParser
import Glibc
import Scripting
import SystemPackage

/// `serialterm send`: one command to a device, and its answer.
struct SendCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send something to a device, and print what it answers.",
    discussion: """
      Sends TEXT, a file or standard input exactly as it is, and ends when the driver has sent all \
      of it. With --expect it then prints what comes back until that matches; the exit status is \
      10 when it does not come in time. A TARGET is what it is for 'serialterm connect'.

      EXAMPLE:
        serialterm send loopback:board 'echo 42' --line-ending cr \\
          --prompt 'board> ' --expect '(\\d+)\\r\\n' --print 1
      """)

  @Argument(
    help: "The device.", completion: Target.completion, transform: { try Target(parsing: $0) })
  var target: Target

  @Argument(help: "What to send. Without it and --file: what comes from standard input.")
  var text: String?

  @Option(help: "Send a file, or - for standard input.", completion: .file())
  var file: String?

  @Flag(help: "TEXT is bytes as hexadecimal numbers: '01 03 00 6b', '0103006b'.")
  var hex = false

  @Option(help: "What to send behind TEXT: none, cr, lf or crlf.")
  var lineEnding = LineEnding.none

  @Option(
    help: .init("What has to come before anything is sent.", valueName: "regex"),
    transform: { try Expression(parsing: $0) })
  var prompt: Expression?

  @Option(
    help: .init("What has to come back.", valueName: "regex"),
    transform: { try Expression(parsing: $0) })
  var expect: Expression?

  @Option(help: "Seconds that text which is awaited may take.")
  var timeout = 5.0

  @Option(
    help: .init(
      "Print no more than this group of what was expected; 0: the whole match.",
      valueName: "group"))
  var print: Int?

  @OptionGroup
  var options: UnattendedOptions

  @OptionGroup(title: "CONFIGURATION")
  var profileOptions: ProfileOptions

  func validate() throws {
    if text != nil && file != nil { throw ValidationError("send TEXT or --file, not both") }
    if text == nil && hex { throw ValidationError("--hex is for TEXT") }
    if text != nil && hex { _ = try textBytes() }
    guard (0.001...86_400).contains(timeout) else {
      throw ValidationError("'--timeout \(timeout)': expected seconds from 0.001 to 86400")
    }
    if let print {
      guard let expect else { throw ValidationError("--print needs --expect REGEX") }
      guard (0...expect.groupCount).contains(print) else {
        throw ValidationError(
          "'--print \(print)': '\(expect.text)' has \(expect.groupCount) groups")
      }
    }
  }

  func execute() throws -> ExitStatus { try execute(nil) }

  func execute(_ late: LateProfile?) throws -> ExitStatus {
    let configuration = try configuration()
    let session = try UnattendedSession(options.configuration(target: target))
    let controller = SendController(configuration, session)
    if let late {
      session.configurationForDevice = { device in
        let command = try late.command(for: device, like: self)
        controller.configuration = try command.configuration()
        return command.options.configuration(target: target)
      }
    }
    return try controller.run()
  }

  private func configuration() throws -> SendConfiguration {
    SendConfiguration(
      source: try source(), prompt: prompt, expectation: expect, timeout: .seconds(timeout),
      printedGroup: print)
  }

  private func source() throws -> SendConfiguration.Source {
    if text != nil { return .bytes(try textBytes()) }
    if let file, file != "-" {
      let path = FilePath(file)
      // A port is not opened, and a board not reset, for a file that is not there.
      do { _ = try path.stat() } catch { throw Failure(.otherFailure, "\(path): \(error).") }
      return .file(path)
    }
    guard file != nil || isatty(STDIN_FILENO) == 0 else {
      throw Failure(.usage, "nothing to send: name a TEXT or a --file, or pipe something in.")
    }
    return .standardInput
  }

  private func textBytes() throws -> [UInt8] {
    guard let text else { return [] }
    let bytes = hex ? try HexText(text).bytes : Array(text.utf8)
    return bytes + lineEnding.bytes
  }
}

extension SendCommand: ProfiledCommand {
  static var profiledName: ProfiledCommandName { .send }

  var namedTarget: Target? {
    get { target }
    set { if let newValue { target = newValue } }
  }
}
