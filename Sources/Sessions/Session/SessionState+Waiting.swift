package import SerialCore

extension SessionState {
  /// Why the session does not have its device open although it may be there, in words: `the device
  /// does not answer (No such device)`. Nil while it waits for the device to appear, or does not
  /// wait.
  package var waitReason: String? {
    switch self {
    case .waitingForDevice(_, .failed(let error)), .opening(_, after: .failed(let error)?):
      error.waitReason
    case .waitingForDevice, .opening, .open, .released, .closed: nil
    }
  }
}

extension SerialError {
  /// Why the next attempt to open the port is awaited; nil if only the far end is missing.
  package var waitReason: String? {
    let detail = errno.map { " (\($0))" } ?? ""
    return switch code {
    case .notFound: nil
    case .noHardware: "the device does not answer\(detail)"
    case .permissionDenied, .attended, .notAdmitted: "permission denied"
    case .busy: "another program uses it"
    case .notASerialPort: "not a serial port"
    case .unreachable: "not reachable (\(subject ?? errno.map { "\($0)" } ?? operation))"
    case .refusedByServer: "the server has ended the connection"
    case .otherProtocol: "the server speaks another protocol"
    case .lockFailed: "its lock file cannot be used"
    case .settingRefused: "the driver refuses \(subject ?? "a setting")"
    case .lost, .unsupported, .alreadyBound, .notOpen, .queueFull, .penTaken, .system:
      "\(operation) failed\(detail)"
    }
  }
}
