import DeviceWatch
import Options

/// `serialterm monitor`: watches devices being plugged in and unplugged.
struct MonitorCommand: Subcommand {
  private static let json = Parameter.flag("json", "Print one JSON object on each line.")
  private static let all = Parameter.flag("all", "Include ports without hardware.")
  private static let count = Parameter<Int?>.option(
    "count", "NUMBER", "End after this number of changes.",
    parse: { try Int.number($0, of: "changes", in: 1...Int.max) })
  private static let timeout = Parameter<Double?>.time(
    "timeout", "End after this time.", 0...31_536_000)

  static let description = CommandDescription(
    "monitor", "Watch devices being plugged in and unplugged.",
    """
    Prints the devices that are present, then each change: appeared, disappeared or changed. Ends on \
    ctrl-c, after --count changes, or after --timeout seconds.
    """,
    example: "serialterm monitor --json --count 1",
    sections: [ParameterSection("OPTIONS", [json, all, count, timeout])])

  private let values: Values

  init(_ values: Values) { self.values = values }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let controller = try MonitorController(
      context.devices, format: values[Self.json] ? .json : .table,
      includesAll: values[Self.all], count: values[Self.count],
      timeout: values[Self.timeout].map { .milliseconds(Int64($0 * 1_000)) })
    return try controller.run()
  }
}
