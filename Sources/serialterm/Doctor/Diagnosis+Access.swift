import SystemPackage

extension Diagnosis {
  /// Whether the user may open the port.
  static func access(_ port: Inspection.Port, on machine: Inspection.Machine) -> [Finding] {
    guard case .present(let node) = port.node, !node.isAccessible else { return [] }
    guard node.isForGroup, node.groupID != 0 else {
      return [
        Finding(
          code: .permissionDenied, port: port.path, what: "\(PortProblem.permissionDenied)",
          why: "It belongs to \(node.owner ?? "another user"), and "
            + (node.groupID == 0
              ? "no group may use it."
              : "group \(node.group ?? "\(node.groupID)") may not read and write it."),
          fixes: [
            "sudo setfacl -m u:\(machine.user.name):rw \(port.path)   # until it is unplugged"
          ])
      ]
    }
    guard let group = node.group else { return [nameless(port, node, on: machine)] }
    if node.listsUser && !machine.user.groupIDs.contains(node.groupID) {
      return [
        Finding(
          code: .loginNeeded, port: port.path, what: "\(PortProblem.loginNeeded)",
          why: "You were added to group \(group) after this login began.",
          fixes: ["newgrp \(group)   # for this shell; log out and in again for all programs"])
      ]
    }
    let seat =
      node.isForSeat
      ? " The user at the machine's own screen may use it; you are logged in from elsewhere." : ""
    return [
      Finding(
        code: .permissionDenied, port: port.path, what: "\(PortProblem.permissionDenied)",
        why: "It belongs to group \(group). You are not in it.\(seat)",
        fixes: [
          "sudo usermod -aG \(group) \(machine.user.name)",
          "newgrp \(group)   # for this shell; log out and in again for all programs",
        ])
    ]
  }

  /// Finds a group without a name: a container may have nodes of the host, but has its own groups.
  private static func nameless(
    _ port: Inspection.Port, _ node: Inspection.Permissions, on machine: Inspection.Machine
  ) -> Finding {
    Finding(
      code: .permissionDenied, port: port.path, what: "\(PortProblem.permissionDenied)",
      why: "It belongs to group \(node.groupID), which has no name here. You are not in it.",
      fixes: [
        machine.isContainer
          ? "docker run --group-add \(node.groupID) --device=\(port.path) IMAGE"
          : "sudo groupadd --gid \(node.groupID) dialout && "
            + "sudo usermod -aG dialout \(machine.user.name)"
      ])
  }
}
