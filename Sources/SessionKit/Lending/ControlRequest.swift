import PlainText
import Posix
package import SystemPackage

/// A client's request to a session: a line of text, `release 188:0 esptool.py`.
///
/// The device is given by its number, which does not depend on the link or name that led to it.
package struct ControlRequest: Hashable {
  /// The device whose port to release.
  package let device: DeviceID
  /// The name of the requesting program, shown to the session's user.
  package let borrower: String

  /// The maximum length of a request in bytes, with its newline.
  package static let limit = 256

  /// The maximum length of the name, in Unicode scalars.
  private static let longestName = 40

  package init(device: DeviceID, borrower: String) {
    self.device = device
    self.borrower = String(
      String.UnicodeScalarView(borrower.harmless.unicodeScalars.prefix(Self.longestName)))
  }

  /// Parses a request; nil if the line is not one. The name may be missing.
  package init?(line: String) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0] == "release" else { return nil }
    let numbers = words[1].split(separator: ":", omittingEmptySubsequences: false)
    guard numbers.count == 2, let major = UInt32(numbers[0]), let minor = UInt32(numbers[1]) else {
      return nil
    }
    let name = words.count == 3 ? String(words[2]) : "another program"
    self.init(device: DeviceID(majorNumber: major, minorNumber: minor), borrower: name)
  }

  /// The line to send, without the newline.
  package var line: String { "release \(device.majorNumber):\(device.minorNumber) \(borrower)" }
}
