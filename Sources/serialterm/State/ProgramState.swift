import DeviceWatch
import SystemPackage

/// The state outside of a session that its commands depend on: the other ports, and
/// the plugged-in devices.
struct ProgramState: Hashable {
  /// The names of the ports; empty while there is only one.
  var ports: [String] = []
  /// The name of the port with the focus; nil while there is only one.
  var focus: String?
  /// Whether typed bytes go to all ports.
  var sendsToAll = false
  /// The adapters and UARTs that are present.
  var devices: [Device] = []
  /// The nodes of all sessions.
  var nodes: Set<FilePath> = []

  /// The devices that no session uses.
  var otherDevices: [Device] {
    devices.filter { device in !nodes.contains(device.node) && nodes.isDisjoint(with: device.links)
    }
  }
}
