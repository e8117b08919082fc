package import DeviceWatch
package import SerialCore

/// The far end of a session, as the user names it on the command line or in a profile.
package enum Target: Hashable, Sendable {
  /// A far end that is named by its address: a node, a link to a node, or a simulation.
  case endpoint(Endpoint)
  /// A device that is named by its properties.
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
