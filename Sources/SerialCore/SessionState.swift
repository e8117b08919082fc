/// The state of a session.
public enum SessionState: Hashable, Sendable {
  /// Bound to no device; the reason, if it was bound before.
  case closed(CloseReason?)
  /// A port is being opened, for the first time (nil) or after waiting for its device. A port that
  /// is not of this computer may take time.
  case opening(Endpoint, after: WaitReason?)
  /// The port is open: where it is, and the settings that the driver reports.
  case open(Endpoint, LineSettings)
  /// Bound to a device that is missing: where it was last, and why it is not open.
  case waitingForDevice(Endpoint, WaitReason)
  /// Bound to a device whose port is released for another program: closed and unlocked.
  case released(Endpoint)

  /// The reason why a session is no longer bound to a device.
  public enum CloseReason: Hashable, Sendable {
    /// ``Session/close()`` was called.
    case requested
    /// The port could not be opened.
    case failed(SerialError)
    /// The device was lost, and the session does not wait for it.
    case lost(SerialError)
  }

  /// The reason why a session waits for its device.
  public enum WaitReason: Hashable, Sendable {
    /// The device has not been present yet.
    case absent
    /// The device was lost.
    case lost(SerialError)
    /// The device came back, and its port could not be opened.
    case failed(SerialError)
    /// The port was released, and is being reopened.
    case released
  }

  /// The port that the session is bound to.
  public var endpoint: Endpoint? {
    switch self {
    case .closed: nil
    case .opening(let endpoint, _), .open(let endpoint, _), .waitingForDevice(let endpoint, _),
      .released(let endpoint):
      endpoint
    }
  }

  /// Whether the port is open.
  public var isOpen: Bool {
    switch self {
    case .open: true
    case .closed, .opening, .waitingForDevice, .released: false
    }
  }

  /// Whether the port is released for another program.
  public var isReleased: Bool {
    switch self {
    case .released: true
    case .closed, .opening, .open, .waitingForDevice: false
    }
  }
}
