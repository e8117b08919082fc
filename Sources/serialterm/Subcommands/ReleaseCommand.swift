import Options
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// `serialterm release`: runs a command that needs the port of a running session.
struct ReleaseCommand: Subcommand {
  private static let command = Parameter<[String]>.wordsAfterDashes(
    "command", "The command and its arguments.")

  static let description = CommandDescription(
    "release", "Run a command while a session releases its port.",
    """
    A session that was started by 'serialterm connect' and has the device releases the port, the \
    command runs, and the session reopens the port when the command has ended. The command finds the \
    port with the session's line settings. If no session has the device, the command runs all the same.

    {} in the command is replaced by the device's node, or by the address of a port over the network. \
    TARGET takes every form that 'serialterm connect' takes, except 'new' and 'loopback:'. The exit status is that of the command; 127 if it is \
    not found, 126 if it cannot be run, 5 if the session keeps its port.
    """,
    example: "serialterm release ttyUSB0 -- esptool.py -p {} write_flash 0 app.bin",
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.targetText, Self.command]),
      ParameterSection("OPTIONS", [SessionParameters.quiet, SessionParameters.config]),
    ])

  private let values: Values
  private let command: [String]

  init(_ values: Values) {
    self.values = values
    command = values[Self.command]
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let (wanted, name) = try port(among: context.devices)
    let borrower = FilePath(command[0]).lastComponent?.string ?? command[0]
    let port = try ReleasedPort(
      asking: ControlRequest(port: wanted, borrower: borrower), say: say)
    if !port.wasHeld { say("no session has \(name) open.") }
    let status = run(command.map { $0.replacing(text: "{}", with: name) })
    port.returnPort(say: say)
    return status
  }

  /// The port, named directly or by a profile, and its name for the command.
  private func port(
    among devices: DeviceCatalog
  ) throws -> (port: ControlRequest.Port, name: String) {
    let file = try ProfileFile(values[SessionParameters.config].map { FilePath($0) })
    let named = try Target(
      named: values[SessionParameters.targetText], in: file, among: devices)
    let resolved = try ResolvedTarget(named) { () throws(Errno) in try devices.current() }
    if case .endpoint(let endpoint) = resolved, LinkProviders.standard.isRemote(endpoint) {
      return (.endpoint(endpoint.canonicalName), "\(endpoint)")
    }
    let node = try resolved.presentPath(among: devices.devices)
    guard let device = node.deviceNumber else {
      throw Failure(.deviceNotFound, "\(node): not a serial port.")
    }
    return (.device(device), node.string)
  }

  private func run(_ words: [String]) -> ExitStatus {
    do throws(Errno) {
      return try ForegroundChild(words).wait()
    } catch {
      StandardStream.complain("\(words[0]): \(error).")
      return .command(error == .noSuchFileOrDirectory ? 127 : 126)
    }
  }

  private func say(_ text: String) {
    if !values[SessionParameters.quiet] { StandardStream.complain(text.harmless) }
  }
}
