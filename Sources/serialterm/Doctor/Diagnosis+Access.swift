import SystemPackage

extension Diagnosis {
  /// Whether the user may open the port.
  static func access(_ port: Facts.Port, on machine: Facts.Machine) -> [Finding] {
    guard case .present(let node) = port.node, !node.isAccessible else { return [] }
    guard node.isForGroup, node.groupID != 0 else {
      return [
        Finding(
          code: .permissionDenied, port: port.path, what: "permission denied",
          why: "It belongs to \(node.owner ?? "another user") alone, and no group may use it.",
          mend: [
            "sudo setfacl -m u:\(machine.user.name):rw \(port.path)   # until it is plugged in anew"
          ])
      ]
    }
    guard let group = node.group else { return [nameless(port, node, on: machine)] }
    if node.listsUser && !machine.user.groupIDs.contains(node.groupID) {
      return [
        Finding(
          code: .loginNeeded, port: port.path, what: "permission denied until you log in again",
          why: "You are in group \(group) by /etc/group, but were not when this login began.",
          mend: ["newgrp \(group)   # in this shell; log out and in again for all others"])
      ]
    }
    let seat =
      node.isForSeat
      ? " The person at the machine's own screen may use it, and you are logged in elsewhere." : ""
    return [
      Finding(
        code: .permissionDenied, port: port.path, what: "permission denied",
        why: "It belongs to group \(group), and you are not in it.\(seat)",
        mend: [
          "sudo usermod -aG \(group) \(machine.user.name)",
          "newgrp \(group)   # in this shell; log out and in again for all others",
        ])
    ]
  }

  /// Containers have the host's nodes, and groups of their own.
  private static func nameless(
    _ port: Facts.Port, _ node: Facts.Permissions, on machine: Facts.Machine
  ) -> Finding {
    Finding(
      code: .permissionDenied, port: port.path, what: "permission denied",
      why: "It belongs to group \(node.groupID), which has no name here, and you are not in it.",
      mend: [
        machine.isContainer
          ? "docker run --group-add \(node.groupID) --device=\(port.path) IMAGE"
          : "sudo groupadd --gid \(node.groupID) dialout && "
            + "sudo usermod -aG dialout \(machine.user.name)"
      ])
  }
}
