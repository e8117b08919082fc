import ArgumentParser
import PlainText
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// `serialterm release`: runs a command that needs the port of a running session.
struct ReleaseCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "release",
    abstract: "Run a command while a session releases its port.",
    usage: "serialterm release [--quiet] [--config <file>] <target> -- <command> ...",
    discussion: """
      A session that was started by 'serialterm connect' and has the device releases the port, the \
      command runs, and the session reopens the port when the command has ended. The command finds \
      the port with the session's line settings. If no session has the device, the command runs all \
      the same.

      {} in the command is replaced by the device's node. TARGET takes every form that \
      'serialterm connect' takes, except 'new' and 'loopback:'. The exit status is that of the \
      command; 127 if it is not found, 126 if it cannot be run, 5 if the session keeps its port.

      EXAMPLE:
        serialterm release ttyUSB0 -- esptool.py -p {} write_flash 0 app.bin
      """)

  @Argument(help: "The device, or the name of a profile.", completion: Target.completion)
  var target: String

  @Argument(parsing: .postTerminator, help: "The command and its arguments.")
  var command: [String] = []

  @Flag(name: [.short, .long], help: "Print nothing but errors.")
  var quiet = false

  @Option(help: .init("The configuration to use.", valueName: "file"), completion: .file())
  var config: String?

  func validate() throws {
    _ = try Target(parsing: target)
    if command.isEmpty { throw ValidationError("no command: release TARGET -- COMMAND ...") }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let node = try node(among: context.devices)
    guard let device = node.deviceNumber else {
      throw Failure(.deviceNotFound, "\(node): not a serial port.")
    }
    let borrower = FilePath(command[0]).lastComponent?.string ?? command[0]
    let port = try ReleasedPort(
      asking: ControlRequest(device: device, borrower: borrower), say: say)
    if !port.wasHeld { say("no session has \(node) open.") }
    let status = run(command.map { $0.replacing("{}", with: node.string) })
    port.giveBack(say: say)
    return status
  }

  /// The node of the device that was named, directly or by a profile.
  private func node(among devices: DeviceCatalog) throws -> FilePath {
    let file = try ProfileFile(config.map { FilePath($0) })
    let named = try Target(named: target, in: file, among: devices)
    let resolved = try ResolvedTarget(named) { () throws(Errno) in try devices.current() }
    return try resolved.presentPath(among: devices.devices)
  }

  private func run(_ words: [String]) -> ExitStatus {
    do throws(Errno) {
      return try ChildProcess(words).wait()
    } catch {
      StandardStream.complain("\(words[0]): \(error).")
      return .command(error == .noSuchFileOrDirectory ? 127 : 126)
    }
  }

  private func say(_ text: String) {
    if !quiet { StandardStream.complain(text.harmless) }
  }
}
