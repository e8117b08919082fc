import Posix
package import SystemPackage

extension FilePath {
  /// The number of the character device at the path; nil for any other file.
  package var deviceNumber: DeviceID? {
    guard let file = try? stat(), file.type == .characterSpecial else { return nil }
    return file.specialDeviceID
  }

  /// Whether the device at the path has hardware behind it, according to sysfs(5).
  package var hasHardware: Bool {
    guard let number = deviceNumber else { return false }
    let entry = "/sys/dev/char/\(number.majorNumber):\(number.minorNumber)/device"
    return (try? FilePath(entry).stat()) != nil
  }
}
