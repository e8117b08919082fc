import ArgumentParser
import DeviceWatch

/// `serialterm monitor`: watches devices being plugged in and unplugged.
struct MonitorCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Watch devices being plugged in and unplugged.",
    discussion: """
      Prints the devices that are present, then each change: appeared, disappeared or changed. \
      Ends on ctrl-c, after --count changes, or after --timeout seconds.

      EXAMPLE:
        serialterm monitor --json --count 1
      """)

  @Flag(help: "Print one JSON object on each line.")
  var json = false

  @Flag(help: "Include ports without hardware.")
  var all = false

  @Option(help: .init("End after this number of changes.", valueName: "n"))
  var count: Int?

  @Option(help: .init("End after this number of seconds.", valueName: "seconds"))
  var timeout: Double?

  func validate() throws {
    if let count, count < 1 { throw ValidationError("'--count \(count)': expected 1 or more") }
    if let timeout, !(0...31_536_000).contains(timeout) {
      throw ValidationError("'--timeout \(timeout)': expected seconds from 0 to 31536000")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let controller = try MonitorController(
      context.devices, format: json ? .json : .table, includesAll: all, count: count,
      timeout: timeout.map { .milliseconds(Int64($0 * 1_000)) })
    return try controller.run()
  }
}
