public import SystemPackage

/// Where a session stands.
public enum SessionState: Hashable, Sendable {
  /// Bound to no device; why, if it was bound before.
  case closed(CloseReason?)
  /// A port is being opened: for the first time (nil), or after waiting for its device.
  case opening(FilePath, after: WaitReason?)
  /// Bytes pass: the port, and its settings as the driver took them.
  case open(FilePath, LineSettings)
  /// Bound to a device that is not there: the port it was last known at, and why it is not open.
  case waitingForDevice(FilePath, WaitReason)
  /// Bound to a device that it has let go of, for another program to use: closed and unlocked.
  case released(FilePath)

  /// Why a session is bound to no device any more.
  public enum CloseReason: Hashable, Sendable {
    /// Its user closed it.
    case requested
    /// The port could not be opened.
    case failed(SerialError)
    /// The device went away, and the session does not wait.
    case lost(SerialError)
  }

  /// Why a session waits for its device.
  public enum WaitReason: Hashable, Sendable {
    /// It was not there from the start.
    case absent
    /// It went away.
    case lost(SerialError)
    /// It came back, and could not be opened.
    case failed(SerialError)
    /// It had been released, and is to be taken back.
    case released
  }

  /// The port that the session is bound to.
  public var path: FilePath? {
    switch self {
    case .closed: nil
    case .opening(let path, _), .open(let path, _), .waitingForDevice(let path, _),
      .released(let path):
      path
    }
  }

  /// Whether bytes pass.
  public var isOpen: Bool {
    switch self {
    case .open: true
    case .closed, .opening, .waitingForDevice, .released: false
    }
  }

  /// Whether the session has let go of its port for another program.
  public var isReleased: Bool {
    switch self {
    case .released: true
    case .closed, .opening, .open, .waitingForDevice: false
    }
  }
}
