import ArgumentParser
import DeviceWatch
import Glibc
import SystemPackage

/// `serialterm doctor`: why a port cannot be used, and what mends it.
struct DoctorCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find out why a port cannot be used, and the command that mends it.",
    discussion: """
      Opens no port and changes nothing. Without a TARGET all devices are looked at. Exit status 0: \
      nothing is wrong; 1: something is.

      EXAMPLE:
        serialterm doctor /dev/ttyUSB0
      """)

  @Argument(
    help: "The device, as 'serialterm connect' takes it.", completion: Target.completion,
    transform: { try Target(parsing: $0) })
  var target: Target?

  @Flag(help: "Print a JSON array.")
  var json = false

  func execute() throws -> ExitStatus {
    let watcher = DeviceWatcher(source: try UdevSource())
    try watcher.startIfNeeded()
    let facts = FactGatherer(devices: watcher.devices).facts(about: target)
    let findings = Diagnosis.findings(in: facts)
    try StandardStream.output.print(
      json ? "\(JSON.array(findings.map(\.json)))\n" : text(findings, facts))
    return findings.isEmpty ? .done : .otherFailure
  }

  private func text(_ findings: [Finding], _ facts: Facts) -> String {
    guard !findings.isEmpty else {
      let ports = facts.ports.map(\.path.string.harmless).joined(separator: ", ")
      return "nothing is wrong\(ports.isEmpty ? "" : " with \(ports)")\n"
    }
    let style = TextStyle(for: STDOUT_FILENO)
    return findings.map { $0.lines(style: style).map { "\($0)\n" }.joined() }.joined(
      separator: "\n")
  }
}
