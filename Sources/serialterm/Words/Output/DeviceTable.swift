import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import TerminalWidgets
import TextTools

/// The devices as a table for people.
struct DeviceTable {
  let lines: [String]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - consoles: the terminals that the kernel writes to.
  ///   - width: the columns of the terminal; nil for no limit. In a narrow terminal, notes have
  ///     their own lines.
  init(
    _ devices: [Device], holders: PortHolders, consoles: KernelConsoles = KernelConsoles(),
    width: Int? = nil
  ) {
    let notes = devices.map { device in
      let isConsole = consoles.contains(device.node)
      return [isConsole ? "console of the kernel" : "", Self.note(device, holders)]
        .filter { !$0.isEmpty }.joined(separator: ", ")
    }
    let header = ["DEVICE", "KIND", "USB ID", "SERIAL NUMBER", "NAME"]
    let rows = devices.map { device in
      [
        device.node.string, device.kind.rawValue, device.usbID ?? "-",
        device.serialNumber ?? "-", device.name,
      ]
    }
    let wide = Table(header: header + ["NOTE"], rows: zip(rows, notes).map { $0 + [$1] }).lines
    guard let width, wide.contains(where: { $0.displayWidth > width }) else {
      lines = wide
      return
    }
    let narrow = Table(header: header, rows: rows).lines
    lines =
      narrow.prefix(1)
      + zip(narrow.dropFirst(), notes).flatMap { line, note in
        note.isEmpty ? [line] : [line, "  \(note.harmless)"]
      }
  }

  private static func note(_ device: Device, _ holders: PortHolders) -> String {
    if let holder = holders[device.node] {
      return holder.note(
        at: device.node.string, hasSession: holder.hasSession,
        hasOtherPorts: holders.hasOtherPorts(holder.pid, besides: device.node))
    }
    if !device.hasHardware { return "no hardware" }
    let access = NodeAccess.of(device.node)
    switch access {
    case .accessible: return ""
    case .denied: return "no permission" + (access.admittedGroup.map { ": group \($0)" } ?? "")
    case .missing: return "no node"
    }
  }
}
