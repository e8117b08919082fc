import ArgumentParser
import Scripting
import SessionKit

/// Options that slow down sending, for devices without flow control.
struct PacingOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: .init("Milliseconds to wait after each byte sent.", valueName: "ms"))
  var byteDelay = 0

  @Option(
    name: [.customShort("O"), .long],
    help: .init("Milliseconds to wait after each line sent.", valueName: "ms"))
  var lineDelay = 0

  @Option(
    help: .init(
      "Send the next line when the device has sent matching text.", valueName: "regex"),
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
