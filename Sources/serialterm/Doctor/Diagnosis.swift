import SystemPackage

/// What is wrong, by what was found out: a pure function.
enum Diagnosis {
  /// The findings: what keeps a port from being used first, port by port.
  static func findings(in facts: Facts) -> [Finding] {
    let machine = facts.machine
    let strays = facts.strays.map { finding(of: $0, on: machine) }
    let ports = facts.ports.flatMap { port in
      let findings =
        hardware(port, on: machine) + access(port, on: machine) + rivals(port, on: machine)
      return findings.filter(\.code.isBlocking) + findings.filter { !$0.code.isBlocking }
    }
    return absence(in: facts) + ambiguity(in: facts) + strays + ports + service(in: facts)
  }

  /// Several devices fit the target, so that a script cannot use it.
  private static func ambiguity(in facts: Facts) -> [Finding] {
    guard let target = facts.ambiguousTarget else { return [] }
    let nodes = facts.ports.map { $0.path.string.shellWord }
    return [
      Finding(
        code: .ambiguous, port: nil, what: "\(target.harmless): fits several devices",
        why: "On a terminal 'serialterm connect' asks which one it is; a script fails.",
        mend: nodes.map { "serialterm connect \($0)" })
    ]
  }

  /// What was asked for is not there, or nothing is.
  private static func absence(in facts: Facts) -> [Finding] {
    let said = facts.machine.kernelMessages.map { messages in
      messages.isEmpty
        ? "The kernel has no messages about serial adapters."
        : "Last messages of the kernel: \(messages.map { "'\($0)'" }.joined(separator: ", "))."
    }
    let advice = said ?? "Only root can read the kernel's messages."
    let dmesg = facts.machine.kernelMessages == nil ? ["sudo dmesg | tail"] : []
    switch facts.scope {
    case .target: return []
    case .missing(let target):
      let reason =
        facts.hasLeftOverNode
        ? "Its node is left over: no device is behind it. \(advice)"
        : "No such device is plugged in. \(advice)"
      return [
        Finding(
          code: .noSuchDevice, port: nil, what: "\(target.harmless): \(PortProblem.noSuchDevice)",
          why: reason,
          mend: ["serialterm list --all   # shows the ports"] + renewal(target, in: facts) + dmesg)
      ]
    case .noneToChoose(let reason):
      return [
        Finding(
          code: .noSuchDevice, port: nil, what: reason, why: advice,
          mend: ["serialterm monitor   # then plug it in"] + dmesg)
      ]
    case .machine:
      guard facts.ports.isEmpty && facts.strays.isEmpty else { return [] }
      return [
        Finding(
          code: .noDevice, port: nil, what: DeviceQuery.reason(isWithoutPorts: true),
          why: "\(advice) A cable that only charges shows nothing at all.",
          mend: ["serialterm monitor   # then plug it in, with another cable"] + dmesg)
      ]
    }
  }

  /// What a node without a device needs.
  private static func renewal(_ target: String, in facts: Facts) -> [String] {
    guard facts.hasLeftOverNode else { return [] }
    return [
      facts.machine.isContainer
        ? "docker run --device=\(target.harmless) IMAGE   # once it is plugged in"
        : "sudo rm \(target.harmless)   # the kernel makes it when the device is plugged in"
    ]
  }

  /// Whether anybody looks after devices here. Whoever asked for a port that works need not know.
  private static func service(in facts: Facts) -> [Finding] {
    guard !facts.machine.hasUdevd, facts.scope != .target, facts.ports.isEmpty else { return [] }
    let mend =
      facts.machine.isContainer
      ? "docker run --device=/dev/ttyUSB0 IMAGE   # the node that the host has"
      : "sudo systemctl start systemd-udevd"
    return [
      Finding(
        code: .noUdevd, port: nil, what: "no udevd runs here",
        why: facts.machine.isContainer
          ? "This is a container: it has the devices that it was given when it was started."
          : "Nobody sets permissions, loads drivers or makes links like /dev/serial/by-id.",
        mend: [mend])
    ]
  }
}
