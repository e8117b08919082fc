import DeviceWatch
import Glibc
import Options
import Reconnecting
import Sessions
import SystemPackage
import Terminal
import TextTools

/// `serialterm doctor`: diagnoses why a port cannot be used, and suggests a fix.
struct DoctorCommand: Subcommand {
  private static let target = Parameter<String?>.argument(
    "target", SessionParameters.deviceSummary + " Without it, all devices.",
    completion: Target.completion,
    parse: Target.checked)
  private static let json = Parameter.flag(
    "json", "Print a JSON array; with --probe, an object.")
  private static let probe = Parameter.flag(
    "probe", "Find the baud rate: listen at the usual rates while the device sends. Sends nothing.")

  static let description = CommandDescription(
    "doctor", "Diagnose a port and suggest a fix.",
    """
    Finds the reasons why 'serialterm connect' fails, and what may disturb a port. It opens no port \
    of this computer and changes nothing; a port over the network is connected to for a moment. Without TARGET it examines all devices. Only root can see the programs of \
    other users. Exit status 0: nothing is wrong; 1: something is.

    With --probe it opens the port of TARGET, and names the baud rate at which text comes in. It takes \
    2 seconds for each rate at most, and the port gets its settings back. Exit status 0: a rate is \
    likely; 1: none is, or nothing came in.
    """,
    example: "serialterm doctor /dev/ttyUSB0",
    sections: [
      ParameterSection("ARGUMENTS", [Self.target]),
      ParameterSection("OPTIONS", [probe, json, SessionParameters.config]),
    ])

  private let values: Values
  private let target: String?

  init(_ values: Values) throws(UsageError) {
    self.values = values
    target = values[Self.target]
    if values[Self.probe] && target == nil {
      throw UsageError(about: ["probe"], "--probe needs a TARGET")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let devices = try context.devices.current()
    let (named, broken) = try namedTarget(among: context.devices)
    let target = try DiagnosisTarget(named, among: devices)
    let inspection = Inspector(devices: devices).inspection(of: target)
    var findings = [broken].compactMap(\.self) + Diagnosis.findings(in: inspection)
    if case .remote(let endpoint) = target {
      findings += [try ConnectionTrial.finding(for: endpoint)].compactMap(\.self)
    }
    if values[Self.probe], let named, !findings.contains(where: \.code.isBlocking) {
      return try findRate(of: named, in: context)
    }
    try StandardStream.output.print(
      values[Self.json] ? "\(JSON.array(findings.map(\.json)))\n" : text(findings, inspection))
    return findings.isEmpty ? .done : .otherFailure
  }

  /// Finds the baud rate by listening at one rate after the other.
  private func findRate(of target: Target, in context: CommandContext) throws -> ExitStatus {
    let session = try HeadlessInterface(.probing(target), of: "doctor", among: context.devices)
    let prober = RateProber(session)
    let (probe, status) = try prober.run()
    guard let probe, let endpoint = prober.endpoint else { return status }
    let report = RateReport(endpoint: endpoint, probe: probe)
    try StandardStream.output.print(values[Self.json] ? "\(report.json)\n" : report.text)
    return report.status
  }

  /// The target, given directly or by a profile, and the finding if the configuration is invalid.
  private func namedTarget(among devices: DeviceCatalog) throws -> (Target?, Finding?) {
    let file: ProfileFile
    do {
      file = try ProfileFile(values[SessionParameters.config].map { FilePath($0) })
    } catch {
      guard let target else { return (nil, Finding(configuration: error)) }
      return (try Target(parsing: target), Finding(configuration: error))
    }
    guard let target else { return (nil, nil) }
    return (try Target(named: target, in: file, among: devices), nil)
  }

  private func text(_ findings: [Finding], _ inspection: Inspection) -> String {
    guard !findings.isEmpty else {
      let ports = inspection.ports.map(\.path.string.harmless).joined(separator: ", ")
      let result = "nothing is wrong\(ports.isEmpty ? "" : " with \(ports)")\n"
      guard geteuid() != 0, !inspection.ports.isEmpty else { return result }
      let words = target.map { " \($0.shellWord.harmless)" } ?? ""
      return result + "To look for programs of other users too: sudo serialterm doctor\(words)\n"
    }
    let style = TextStyle(for: STDOUT_FILENO)
    let width = UserTerminal.outputWidth
    return findings.map { $0.lines(style: style, width: width).map { "\($0)\n" }.joined() }
      .joined(separator: "\n")
  }
}
