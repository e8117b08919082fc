import DeviceWatch
import SystemPackage

/// What a command can depend on besides its own session: the other ports, and what is plugged in.
struct ProgramState: Hashable {
  /// The names of the ports; none while there is only one.
  var ports: [String] = []
  /// The name of the port that the user types to; nil while there is only one.
  var focus: String?
  /// Whether what the user types goes to all ports.
  var sendsToAll = false
  /// The adapters and UARTs that are present.
  var devices: [Device] = []
  /// The nodes of the sessions.
  var nodes: Set<FilePath> = []

  /// The devices that are in no session.
  var otherDevices: [Device] {
    devices.filter { device in !nodes.contains(device.node) && nodes.isDisjoint(with: device.links)
    }
  }
}
