import Glibc
import Posix
import SystemPackage

/// The machine's own sysfs, read without libudev.
enum Sysfs {
  private static let ttyClass: FilePath = "/sys/class/tty"

  /// The names in the class `tty`.
  static var ttyNames: [String] { ttyClass.entryNames() }

  /// Whether a device hangs on something, as hardware does.
  static func hasParent(_ name: String) -> Bool {
    (try? ttyClass.appending(name).appending("device").stat()) != nil
  }

  /// The UART's type, `PORT_UNKNOWN` being 0, where the driver says so.
  static func uartType(_ name: String) -> Int? {
    guard let bytes = try? ttyClass.appending(name).appending("type").contents() else {
      return nil
    }
    return Int(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// Whether the kernel can be made to say that virtual consoles have changed: harmless, and root's
  /// alone.
  static var canMakeEvents: Bool { access("/sys/class/tty/tty10/uevent", W_OK) == 0 }

  /// Makes the kernel say that a device has changed.
  static func makeEvent(of name: String) throws {
    let file = try FileDescriptor.open(ttyClass.appending(name).appending("uevent"), .writeOnly)
    defer { try? file.close() }
    try file.writeAll("change".utf8)
  }
}
