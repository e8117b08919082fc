import Glibc
import SerialCore
import SystemPackage
import TextTools

/// Names of units' instances that systemd-escape(1) has made.
///
/// The units of serialterm take an instance as it is written, so that it may be a profile or a
/// device with a hyphen in its name.
enum UnitInstance {
  /// The text that a name was made of: `/dev/ttyUSB0` for `dev-ttyUSB0`, `board-1` for
  /// `board\x2d1`. Nil if the name does not look like it.
  static func original(of name: String) -> String? {
    let isPath = name.hasPrefix("dev-")
    guard isPath || name.contains(text: "\\x"), !name.contains("/") else { return nil }
    var bytes: [UInt8] = isPath ? [UInt8(ascii: "/")] : []
    var rest = Array(name.utf8)[...]
    while let byte = rest.popFirst() {
      let code = String(decoding: rest.dropFirst().prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), code.utf8.count == 2,
        let escaped = UInt8(code, radix: 16)
      {
        bytes.append(escaped)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte == UInt8(ascii: "-") ? UInt8(ascii: "/") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self).harmless
  }

  /// A sentence for a user who named a device that is not there in this way; nil for any other.
  static func advice(for endpoint: Endpoint) -> String? {
    guard let path = endpoint.path, path.removingLastComponent() == "/dev",
      let name = path.lastComponent?.string, let original = original(of: name),
      // A device may have a name with a hyphen.
      name.contains(text: "\\x") || original.hasPrefix("/dev/tty") || access(original, F_OK) == 0
    else { return nil }
    return "systemd-escape makes this name of \(original): a unit takes its instance as it is."
  }
}
