package import Posix
package import SystemPackage

/// A driver of terminals, by the device numbers of its nodes: a line of /proc/tty/drivers.
///
/// Source: proc_tty(5).
package struct TerminalDriver: Hashable, Sendable {
  /// The file of the drivers that are loaded.
  package static let file: FilePath = "/proc/tty/drivers"

  private let major: UInt32
  private let minors: ClosedRange<UInt32>
  /// What it drives: `serial`, `pty:slave`, `console` …
  package let type: Substring

  /// The drivers in the text of ``file``.
  package static func all(in text: String) -> [TerminalDriver] {
    text.split(separator: "\n").compactMap(Self.init)
  }

  /// `usbserial            /dev/ttyUSB     188 0-511 serial`; nil for another text.
  private init?(_ line: Substring) {
    let words = line.split(separator: " ")
    guard words.count >= 5, let major = UInt32(words[2]) else { return nil }
    let ends = words[3].split(separator: "-").compactMap { UInt32($0) }
    guard let first = ends.first, let last = ends.last, first <= last else { return nil }
    (self.major, minors, type) = (major, first...last, words[4])
  }

  /// Whether it drives the device of a number.
  package func has(_ device: DeviceID) -> Bool {
    device.majorNumber == major && minors.contains(device.minorNumber)
  }
}
