import Glibc
import Posix
import SystemPackage

/// The computer's sysfs, read without libudev.
enum Sysfs {
  private static let ttyClass: FilePath = "/sys/class/tty"

  /// The names in the class `tty`.
  static var ttyNames: [String] { ttyClass.entryNames() }

  /// Whether a device has a parent device, like hardware.
  static func hasParent(_ name: String) -> Bool {
    (try? ttyClass.appending(name).appending("device").stat()) != nil
  }

  /// The UART's type, if the driver reports it. `PORT_UNKNOWN` is 0.
  static func uartType(_ name: String) -> Int? {
    guard let bytes = try? ttyClass.appending(name).appending("type").contents() else {
      return nil
    }
    return Int(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// Whether this process can make the kernel send events for virtual consoles. This is harmless,
  /// and only root may do it.
  static var canMakeEvents: Bool { access("/sys/class/tty/tty10/uevent", W_OK) == 0 }

  /// Makes the kernel send an event that a device has changed.
  static func makeEvent(of name: String) throws {
    let file = try FileDescriptor.open(ttyClass.appending(name).appending("uevent"), .writeOnly)
    defer { try? file.close() }
    try file.writeAll("change".utf8)
  }
}
