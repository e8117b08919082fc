import DeviceWatch
import SystemPackage

/// What udevd has put down about a port and the USB device that it belongs to, in /run/udev/data:
/// a letter and a value a line, as in `E:ID_BUS=usb` and `G:uaccess`.
struct UdevRecord {
  let tags: Set<Substring>
  let isIgnoredByModemManager: Bool

  init(of device: Device, in gatherer: FactGatherer) {
    var tags: Set<Substring> = []
    var marks: Set<Substring> = []
    var folder = FilePath(device.syspath)
    repeat {
      // A record goes by the kind of node and its number: see device_get_device_id() of sd-device.
      guard let number = gatherer.text(folder.appending("dev")) else { continue }
      let record = gatherer.text(FilePath("/run/udev/data/c\(number)")) ?? ""
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
