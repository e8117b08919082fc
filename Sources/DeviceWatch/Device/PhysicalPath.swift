/// The physical path of a device, in the format of udev.
enum PhysicalPath {
  /// The path that udev's `path_id` would compute, for computers without udevd.
  ///
  /// The rules are those of `src/udev/udev-builtin-path_id.c` in systemd, for the buses of
  /// serial ports: one part for each bus up to the root. Of several devices on one bus, only
  /// the nearest counts.
  ///
  /// - Parameter ancestors: the parent devices of the port, nearest first.
  /// - Returns: for example `pci-0000:00:14.0-usb-0:1.2:1.0`; nil if no bus up to the root
  ///   has permanent names.
  static func of(_ ancestors: [SysfsNode]) -> String? {
    var pieces: [String] = []
    var isAnchored = false
    var index = 0
    while index < ancestors.count {
      let node = ancestors[index]
      index += 1
      switch node.subsystem {
      case "usb":
        // The root hub is not plugged into a port: its name is usb1; others have names like 1-1.2.
        guard ["usb_interface", "usb_device"].contains(node.type),
          let dash = node.name.firstIndex(of: "-")
        else { continue }
        pieces.append("usb-0:\(node.name[dash...].dropFirst())")
      case "pci", "platform", "amba", "acpi", "xen":
        pieces.append("\(node.subsystem ?? "")-\(node.name)")
        isAnchored = true
      case "spi":
        guard let chipSelect = trailingNumber(of: node.name) else { continue }
        pieces.append("cs-\(chipSelect)")
      case "virtio":
        break
      default:
        continue
      }
      while index < ancestors.count, ancestors[index].subsystem == node.subsystem { index += 1 }
    }
    return isAnchored ? pieces.reversed().joined(separator: "-") : nil
  }

  private static func trailingNumber(of name: String) -> Substring? {
    let start = name.lastIndex { !("0"..."9").contains($0) }.map(name.index(after:))
    let number = name[(start ?? name.startIndex)...]
    return number.isEmpty ? nil : number
  }
}
