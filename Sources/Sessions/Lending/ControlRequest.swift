import Posix
package import SystemPackage
import TextTools

/// A client's request to a session: a line of text, such as `release 188:0 esptool.py` or
/// `release rfc2217://lab:4001 esptool.py`.
package struct ControlRequest: Hashable {
  /// The port to release.
  package let port: Port
  /// The name of the requesting program, shown to the session's user.
  package let borrower: String

  /// How a port is named.
  package enum Port: Hashable {
    /// The number of the device, which does not depend on the link or name that leads to it.
    case device(DeviceID)
    /// The name of the endpoint: see ``SerialCore/Endpoint/canonicalName``.
    case endpoint(String)
  }

  /// The maximum length of a request in bytes, with its newline.
  package static let limit = 1_024

  /// The maximum length of the program's name, in Unicode scalars.
  private static let longestName = 40

  package init(port: Port, borrower: String) {
    self.port = port
    self.borrower = String(
      String.UnicodeScalarView(borrower.harmless.unicodeScalars.prefix(Self.longestName)))
  }

  /// Parses a request; nil if the line is not one. The program's name may be missing.
  package init?(line: String) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0] == "release", let port = Port(word: words[1]) else {
      return nil
    }
    self.init(port: port, borrower: words.count == 3 ? String(words[2]) : "another program")
  }

  /// The line to send, without the newline.
  package var line: String { "release \(port.word) \(borrower)" }
}

extension ControlRequest.Port {
  /// Reads the port from a word of a request; nil if it names none. The name of an endpoint
  /// contains a slash.
  fileprivate init?(word: Substring) {
    if word.contains("/") {
      guard let name = String(percentEncoded: word) else { return nil }
      self = .endpoint(name)
      return
    }
    let numbers = word.split(separator: ":", omittingEmptySubsequences: false)
    guard numbers.count == 2, let major = UInt32(numbers[0]), let minor = UInt32(numbers[1]) else {
      return nil
    }
    self = .device(DeviceID(majorNumber: major, minorNumber: minor))
  }

  /// The port as a word of a request.
  fileprivate var word: String {
    switch self {
    case .device(let device): "\(device.majorNumber):\(device.minorNumber)"
    case .endpoint(let name): name.percentEncoded
    }
  }
}
