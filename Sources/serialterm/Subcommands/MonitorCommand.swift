import ArgumentParser
import DeviceWatch

/// `serialterm monitor`: devices as they come and go.
struct MonitorCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Tell of serial devices as they come and go.",
    discussion: """
      First the devices that are there (present), then what happens to them (appeared, \
      disappeared, changed). Ends on ctrl-c, or as --count and --timeout say.

      EXAMPLE:
        serialterm monitor --json --count 1
      """)

  @Flag(help: "Print one JSON object a line.")
  var json = false

  @Flag(help: "Ports with no hardware behind them too.")
  var all = false

  @Option(help: "End after so many events; the devices that are there do not count.")
  var count: Int?

  @Option(help: "End after so many seconds.")
  var timeout: Double?

  func validate() throws {
    if let count, count < 1 { throw ValidationError("'--count \(count)': expected 1 or more") }
    if let timeout, !(0...31_536_000).contains(timeout) {
      throw ValidationError("'--timeout \(timeout)': expected seconds from 0 to 31536000")
    }
  }

  func execute() throws -> ExitStatus {
    let controller = try MonitorController(
      format: json ? .json : .table, includesAll: all, count: count,
      timeout: timeout.map { .milliseconds(Int64($0 * 1_000)) })
    return try controller.run()
  }
}
