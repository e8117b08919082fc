import ArgumentParser
import Scripting

/// How fast bytes are sent to a device without flow control.
struct PacingOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: .init("Milliseconds to wait after each byte that is sent.", valueName: "ms"))
  var byteDelay = 0

  @Option(
    name: [.customShort("O"), .long],
    help: .init("Milliseconds to wait after each line that is sent.", valueName: "ms"))
  var lineDelay = 0

  @Option(
    help: .init("What has to come before the next line is sent.", valueName: "regex"),
    transform: { try Expression(parsing: $0) })
  var waitFor: Expression?

  func validate() throws {
    for (name, delay) in [("byte-delay", byteDelay), ("line-delay", lineDelay)]
    where !(0...60_000).contains(delay) {
      throw ValidationError("'--\(name) \(delay)': expected milliseconds from 0 to 60000")
    }
  }

  var pacing: Pacing {
    Pacing(
      byteDelay: .milliseconds(byteDelay), lineDelay: .milliseconds(lineDelay), waitFor: waitFor)
  }
}
