/// Groups of options for opening a port, by the part of the far end that has to support them.
package struct LinkOptionGroups: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The settings of the line: baud rate, framing, flow control.
  package static let settings = LinkOptionGroups(rawValue: 1)
  /// DTR and RTS.
  package static let outputLines = LinkOptionGroups(rawValue: 2)
  /// Options that only the kernel of this computer supports, for its own ports: locks, HUPCL, error marks, RS-485,
  /// low latency.
  package static let kernel = LinkOptionGroups(rawValue: 4)

  package static let all: LinkOptionGroups = [.settings, .outputLines, .kernel]
}
