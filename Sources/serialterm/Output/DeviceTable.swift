import DeviceWatch
import SerialCore
import SystemPackage

/// The devices as a table for people.
struct DeviceTable {
  let lines: [String]

  init(_ devices: [Device], holders: PortHolders) {
    var table = Table(header: ["DEVICE", "KIND", "USB ID", "SERIAL NUMBER", "NAME", "NOTE"])
    table.rows = devices.map { device in
      [
        device.node.string, device.kind.rawValue, device.usbID ?? "-",
        device.serialNumber ?? "-", device.name, Self.note(device, holders[device.node]),
      ]
    }
    lines = table.lines
  }

  private static func note(_ device: Device, _ holder: PortHolder?) -> String {
    if let holder { return "held by pid \(holder.pid) (\(holder.command))" }
    if !device.hasHardware { return "no hardware" }
    let access = NodeAccess.of(device.node)
    switch access {
    case .accessible: return ""
    case .denied: return "no permission" + (access.admittedGroup.map { ": group \($0)" } ?? "")
    case .missing: return "no node"
    }
  }
}
