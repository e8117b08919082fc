import DeviceWatch
import Options
import Reconnecting
import SerialCore
import Sessions
import Terminal
import TextTools

/// `serialterm list`: lists the serial devices.
struct ListCommand: Subcommand {
  private static let json = Parameter.flag("json", "Print a JSON array.")
  private static let names = Parameter.flag("names", "Print only the nodes, one on each line.")
  private static let all = Parameter.flag("all", "Include ports without hardware.")
  private static let labgrid = Parameter.flag(
    "labgrid", "List the places of labgrid's coordinator instead, by labgrid-client.",
    details: "The coordinator is that of labgrid-client: $LG_COORDINATOR, HOST:PORT.")

  static let description = CommandDescription(
    "list", "List the serial devices.",
    "Lists only ports with hardware behind them, unless --all is given.",
    example: "serialterm list --json",
    sections: [ParameterSection("OPTIONS", [json, names, all, labgrid])])

  private let values: Values

  init(_ values: Values) throws(UsageError) {
    self.values = values
    if values[Self.json] && values[Self.names] {
      throw UsageError("--json and --names exclude each other")
    }
    if values[Self.labgrid] && values[Self.all] {
      throw UsageError("--labgrid and --all exclude each other")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    if values[Self.labgrid] { return try listPlaces() }
    let devices = try context.devices.current().filter { values[Self.all] || $0.hasHardware }
    if devices.isEmpty && !values[Self.json] && !values[Self.names] {
      try StandardStream.error.print(Self.nothingThere)
    } else {
      try StandardStream.output.print(text(of: devices))
    }
    return .done
  }

  private func listPlaces() throws -> ExitStatus {
    let table = try PlaceTable()
    if table.isEmpty && !values[Self.json] && !values[Self.names] {
      StandardStream.complain("labgrid's coordinator has no place.")
    } else if values[Self.json] {
      try StandardStream.output.print("\(table.json)\n")
    } else {
      let lines = values[Self.names] ? table.names : table.lines
      try StandardStream.output.print(lines.map { "\($0)\n" }.joined())
    }
    return .done
  }

  /// The advice if there is nothing to list.
  private static let nothingThere = """
    No serial device is present.
      Plug one in: a USB adapter or a board, with a cable that carries data.
      No device at hand?     serialterm loopback:board    talks to a simulated board
      It is plugged in?      serialterm doctor            finds out what is wrong

    """

  private func text(of devices: [Device]) -> String {
    if values[Self.names] { return devices.map { "\($0.node)\n" }.joined() }
    let holders = PortHolders()
    if values[Self.json] {
      return "\(JSON.array(devices.map { $0.json(holder: holders[$0.node]) }))\n"
    }
    return DeviceTable(devices, holders: holders, width: UserTerminal.outputWidth).lines.map {
      "\($0)\n"
    }.joined()
  }
}
