import Posix
import SystemPackage

/// What a client asks of a session, as a line of text: `release 188:0 esptool.py`.
///
/// A device is meant by its number: whatever link or name led to it, the session has the same one.
struct ControlRequest: Hashable {
  /// The device whose port is to be released.
  let device: DeviceID
  /// Who wants it, in words for the session's user.
  let borrower: String

  /// The most bytes of a request, its end included.
  static let limit = 256

  /// The longest name that is sent and shown, in Unicode scalars.
  private static let longestName = 40

  init(device: DeviceID, borrower: String) {
    self.device = device
    self.borrower = String(
      String.UnicodeScalarView(borrower.harmless.unicodeScalars.prefix(Self.longestName)))
  }

  /// Reads a request; nil if the line is none. A borrower without a name is let in.
  init?(line: String) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0] == "release" else { return nil }
    let numbers = words[1].split(separator: ":", omittingEmptySubsequences: false)
    guard numbers.count == 2, let major = UInt32(numbers[0]), let minor = UInt32(numbers[1]) else {
      return nil
    }
    let name = words.count == 3 ? String(words[2]) : "another program"
    self.init(device: DeviceID(majorNumber: major, minorNumber: minor), borrower: name)
  }

  /// The request as it is sent, without the line's end.
  var line: String { "release \(device.majorNumber):\(device.minorNumber) \(borrower)" }
}
