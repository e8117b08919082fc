import ArgumentParser
import DeviceWatch
import SerialCore
import SessionKit
import TerminalFrontEnd

/// `serialterm list`: lists the serial devices.
struct ListCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the serial devices.",
    discussion: """
      Lists only ports with hardware behind them, unless --all is given.

      EXAMPLE:
        serialterm list --json
      """)

  @Flag(help: "Print a JSON array.")
  var json = false

  @Flag(help: "Print only the nodes, one on each line.")
  var names = false

  @Flag(help: "Include ports without hardware.")
  var all = false

  func validate() throws {
    if json && names { throw ValidationError("--json and --names exclude each other") }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let devices = try context.devices.current().filter { all || $0.hasHardware }
    if devices.isEmpty && !json && !names {
      try StandardStream.error.print(Self.nothingThere)
    } else {
      try StandardStream.output.print(text(of: devices))
    }
    return .done
  }

  /// Advice if there is nothing to list.
  private static let nothingThere = """
    No serial device is present.
      Plug one in: a USB adapter or a board, with a cable that carries data.
      No device at hand?     serialterm loopback:board    talks to a simulated board
      It is plugged in?      serialterm doctor            finds out what is wrong

    """

  private func text(of devices: [Device]) -> String {
    if names { return devices.map { "\($0.node)\n" }.joined() }
    let holders = PortHolders()
    if json {
      return "\(JSON.array(devices.map { $0.json(holder: holders[$0.node]) }))\n"
    }
    return DeviceTable(devices, holders: holders, width: UserTerminal.outputWidth).lines.map {
      "\($0)\n"
    }.joined()
  }
}
