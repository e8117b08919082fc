package import DeviceWatch
package import SerialCore

/// What the user names on the command line or in a profile: the far end of a session.
package enum Target: Hashable, Sendable {
  /// A far end that is named by its address: a node, or a link to one; a simulation.
  case endpoint(Endpoint)
  /// A device, by what is known of it.
  case device(DeviceQuery)

  /// Whether the far end may be a device that udev knows.
  package var mayBeDevice: Bool {
    switch self {
    case .endpoint(let endpoint): endpoint.kind == .tty
    case .device: true
    }
  }
}

/// Why a text is not a TARGET.
package enum TargetError: Error, Hashable, Sendable {
  /// There is no text.
  case empty
  /// The text begins like one of these forms, but is malformed.
  case malformed(String, expected: [String])
  /// The text begins like a selector of a device, but is malformed.
  case selector(DeviceSelectorError)
  /// The kind of endpoint has no provider yet.
  case unsupported(String)
}
