import DeviceWatch
import SystemPackage

/// The records of udevd in /run/udev/data about a port and its USB device. Each line is a letter
/// and a value: `E:ID_BUS=usb`, `G:uaccess`.
struct UdevRecord {
  let tags: Set<Substring>
  let isIgnoredByModemManager: Bool

  init(of device: Device, in inspector: Inspector) {
    var tags: Set<Substring> = []
    var marks: Set<Substring> = []
    var folder = FilePath(device.syspath)
    repeat {
      // The name of a record consists of the type and number of the node: see
      // device_get_device_id() of sd-device.
      guard let number = inspector.text(folder.appending("dev")) else { continue }
      let record = inspector.text(FilePath("/run/udev/data/c\(number)")) ?? ""
      for line in record.split(separator: "\n") {
        if line.hasPrefix("G:") && folder.string == device.syspath {
          tags.insert(line.dropFirst(2))
        }
        if line.hasPrefix("E:ID_MM_") { marks.insert(line.dropFirst(2)) }
      }
    } while folder.removeLastComponent() && folder.components.count > 2
    self.tags = tags
    isIgnoredByModemManager =
      marks.contains("ID_MM_DEVICE_IGNORE=1") || marks.contains("ID_MM_PORT_IGNORE=1")
  }
}
