import DeviceWatch
import Options

/// `serialterm monitor`: watches devices being plugged in and unplugged.
struct MonitorCommand: Subcommand {
  private static let json = Parameter.flag("json", "Print one JSON object on each line.")
  private static let all = Parameter.flag("all", "Include ports without hardware.")
  private static let count = Parameter<Int?>.option(
    "count", "NUMBER", "End after this number of changes.",
    parse: { try Int.number($0, of: "changes", in: 1...Int.max) })
  private static let deadline = Parameter<Double?>.time("deadline", "End after this time.", times)
  /// Scripts may rely on this name of ``deadline``.
  private static let timeout = Parameter<Double?>.time(
    "timeout", "The same as --deadline.", times)
  private static let times = 0.0...31_536_000

  static let description = CommandDescription(
    "monitor", "Watch devices being plugged in and unplugged.",
    """
    Prints the devices that are present, then each change: appeared, disappeared or changed. Ends on \
    ctrl-c, after --count changes, or after the time of --deadline.
    """,
    example: "serialterm monitor --json --count 1",
    sections: [ParameterSection("OPTIONS", [json, all, count, deadline, timeout])])

  private let values: Values

  init(_ values: Values) throws(UsageError) {
    self.values = values
    if values[Self.deadline] != nil, values[Self.timeout] != nil {
      throw UsageError("--deadline and --timeout of 'monitor' are the same: give one of them")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let controller = try MonitorController(
      context.devices, format: values[Self.json] ? .json : .table,
      includesAll: values[Self.all], count: values[Self.count],
      deadline: (values[Self.deadline] ?? values[Self.timeout]).map { Duration(rounding: $0) })
    return try controller.run()
  }
}
