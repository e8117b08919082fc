package import SerialCore
package import Telnet

// The features and counters of a port, in the form of the protocol.

extension SharingMessage.Features {
  /// Those of a port's features that its members are sent.
  package init(_ capabilities: LineCapabilities) {
    self = []
    if capabilities.contains(.modemLines) { insert(.modemLines) }
    if capabilities.contains(.breaks) { insert(.breaks) }
    if capabilities.contains(.settings) { insert(.settings) }
    if capabilities.contains(.counters) { insert(.counters) }
  }
}

extension SharingMessage {
  /// The message with the counters of a port.
  package static func counters(_ counters: LineCounters) -> SharingMessage {
    .counters(LineCounters.all.map { counters[keyPath: $0] })
  }
}

extension LineCounters {
  /// The counters of a message.
  init(_ numbers: [UInt32]) {
    self.init()
    for (counter, number) in zip(Self.all, numbers) { self[keyPath: counter] = number }
  }
}
