import Sessions
import SystemPackage
import TextTools

/// Derives the findings from the facts. A pure function.
enum Diagnosis {
  /// The findings for each port. Those that prevent its use come first.
  static func findings(in inspection: Inspection) -> [Finding] {
    let machine = inspection.machine
    let strays = inspection.strays.map { finding(of: $0, on: machine) }
    let ports = inspection.ports.flatMap { port in
      let findings =
        hardware(port, on: machine) + access(port, on: machine) + rivals(port, on: machine)
      return findings.filter(\.code.isBlocking) + findings.filter { !$0.code.isBlocking }
    }
    return absence(in: inspection) + ambiguity(in: inspection) + strays + ports
      + service(in: inspection)
  }

  /// Finds that several devices match the target, so that a script cannot use it.
  private static func ambiguity(in inspection: Inspection) -> [Finding] {
    guard let target = inspection.ambiguousTarget else { return [] }
    let nodes = inspection.ports.map { $0.path.string.shellWord }
    return [
      Finding(
        code: .ambiguous, port: nil, what: "\(target.harmless): matches several devices",
        why: "On a terminal 'serialterm connect' asks which one you mean; in a script it fails.",
        fixes: nodes.map { "serialterm connect \($0)" })
    ]
  }

  /// Finds that the target is not present, or that there are no devices at all.
  private static func absence(in inspection: Inspection) -> [Finding] {
    let said = inspection.machine.kernelMessages.map { messages in
      messages.isEmpty
        ? "The kernel has no messages about serial adapters."
        : "Last messages of the kernel: \(messages.map { "'\($0)'" }.joined(separator: ", "))."
    }
    let advice = said ?? "Only root can read the kernel's messages."
    let dmesg = inspection.machine.kernelMessages == nil ? ["sudo dmesg | tail"] : []
    switch inspection.scope {
    case .target: return []
    case .missing(let target):
      let name = target.split(separator: "/").last.map(String.init) ?? target
      let reason =
        if inspection.hasLeftOverNode {
          "Its node is left over: no device is behind it. \(advice)"
        } else if let forms = UsageAdvice.networkForms(of: name) {
          "A port over the network is \(forms)."
        } else {
          "No such device is plugged in. \(advice)"
        }
      return [
        Finding(
          code: .noSuchDevice, port: nil, what: "\(target.harmless): \(PortProblem.noSuchDevice)",
          why: reason,
          fixes: ["serialterm list --all   # shows the ports"] + renewal(target, in: inspection)
            + dmesg)
      ]
    case .noneToChoose(let reason):
      return [
        Finding(
          code: .noSuchDevice, port: nil, what: reason, why: advice,
          fixes: ["serialterm monitor   # then plug it in"] + dmesg)
      ]
    case .machine:
      guard inspection.ports.isEmpty && inspection.strays.isEmpty else { return [] }
      return [
        Finding(
          code: .noDevice, port: nil, what: DeviceQuery.reason(isWithoutPorts: true),
          why: "\(advice) A cable without data wires is not detected at all.",
          fixes: ["serialterm monitor   # then plug it in, with another cable"] + dmesg)
      ]
    }
  }

  /// The fix for a node without a device.
  private static func renewal(_ target: String, in inspection: Inspection) -> [String] {
    guard inspection.hasLeftOverNode else { return [] }
    return [
      inspection.machine.isContainer
        ? "docker run --device=\(target.harmless) IMAGE   # when it is plugged in"
        : "sudo rm \(target.harmless)   # the kernel creates it again when the device is plugged in"
    ]
  }

  /// Finds that udevd does not manage devices. That does not matter if the target's port works.
  private static func service(in inspection: Inspection) -> [Finding] {
    guard !inspection.machine.hasUdevd, inspection.scope != .target, inspection.ports.isEmpty else {
      return []
    }
    let fix =
      inspection.machine.isContainer
      ? "docker run --device=/dev/ttyUSB0 IMAGE   # the node of the host"
      : "sudo systemctl start systemd-udevd"
    return [
      Finding(
        code: .noUdevd, port: nil, what: "udevd is not running",
        why: inspection.machine.isContainer
          ? "This is a container. It has only the devices that it was given at its start."
          : "Permissions are not set, drivers are not loaded, and /dev/serial/by-id is missing.",
        fixes: [fix])
    ]
  }
}
