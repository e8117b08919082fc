public import SystemPackage

/// An error of a port: a code, the operation, the port, and the system's errno.
///
/// It contains no advice and no text for users; these are up to the program.
public struct SerialError: Error, Hashable, Sendable {
  /// What happened.
  public let code: Code
  /// The C function or the request that failed: `open`, `TCSETS2`.
  public let operation: String
  /// The port, as the caller named it.
  public let endpoint: Endpoint
  /// The system's error, if there is one.
  public let errno: Errno?
  /// What the code refers to: the setting that was refused, the feature that is missing,
  /// the lock file.
  public let subject: String?

  /// What happened.
  public enum Code: Hashable, Sendable {
    /// The node does not exist.
    case notFound
    /// The node exists, but there is no hardware behind it now. In a container, the node stays
    /// while its adapter is unplugged.
    case noHardware
    /// The path is not a serial port but a directory, a file or another kind of device.
    case notASerialPort
    /// The node is the controlling terminal of a process, and may not be opened therefore.
    case attended(by: PortHolder)
    /// The node is a console of this computer or a pseudo-terminal of another program, and may not
    /// be opened therefore.
    case notAdmitted
    /// The node's permissions do not allow access.
    case permissionDenied
    /// Another process, or another session of this process, has the port.
    case busy
    /// The session is already bound to a port: a session has one device.
    case alreadyBound
    /// The session has no open port.
    case notOpen
    /// The device is gone.
    case lost
    /// The driver refused a setting.
    case settingRefused
    /// The driver does not have the feature.
    case unsupported
    /// The lock file names no process, or cannot be created.
    case lockFailed
    /// The write queue has no room for all bytes; it took none.
    case queueFull
    /// Another author has the pen: see ``Session/takePen(for:outlivesLoss:)``.
    case penTaken(by: Author)
    /// The far end cannot be reached over the network: see ``SerialError/errno``, or
    /// ``SerialError/subject`` if its name is not known.
    case unreachable
    /// The server has ended the connection before the port was open; ``SerialError/subject`` is its
    /// reason, if it has said one.
    case refusedByServer
    /// The far end does not speak the protocol that is the ``SerialError/subject``.
    case otherProtocol
    /// Another error: see ``SerialError/errno``.
    case system
  }

  /// Creates an error.
  public init(
    _ code: Code, in operation: String, at endpoint: Endpoint, errno: Errno? = nil,
    subject: String? = nil
  ) {
    self.code = code
    self.operation = operation
    self.endpoint = endpoint
    self.errno = errno
    self.subject = subject
  }

  /// Creates an error at a path.
  init(
    _ code: Code, in operation: String, at path: FilePath, errno: Errno? = nil,
    subject: String? = nil
  ) {
    self.init(code, in: operation, at: .tty(path), errno: errno, subject: subject)
  }

  /// The same error, of a port that has another name.
  func at(_ endpoint: Endpoint) -> SerialError {
    SerialError(code, in: operation, at: endpoint, errno: errno, subject: subject)
  }

  /// Creates the error of open(2), or of the first request after it.
  init(opening path: FilePath, _ errno: Errno, in operation: String) {
    let code: Code =
      switch errno {
      // With the last two errors, a path cannot lead anywhere.
      case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels, .fileNameTooLong:
        .notFound
      case .permissionDenied, .notPermitted: .permissionDenied
      case .resourceBusy: .busy
      case .inappropriateIOCTLForDevice, .isDirectory: .notASerialPort
      // A node without a driver (ENXIO), without a device (ENODEV), and a UART that is not there.
      case .noSuchAddressOrDevice, .operationNotSupportedByDevice, .ioError: .noHardware
      default: .system
      }
    self.init(code, in: operation, at: path, errno: errno)
  }

  /// Creates the error of an operation on an open port.
  init(using endpoint: Endpoint, _ errno: Errno, in operation: String) {
    let code: Code =
      switch errno {
      // The errors of a terminal after a hang-up, and of a USB adapter after unplugging.
      case .ioError, .operationNotSupportedByDevice, .noSuchAddressOrDevice, .brokenPipe: .lost
      default: .system
      }
    self.init(code, in: operation, at: endpoint, errno: errno)
  }
}

extension SerialError {
  /// Creates the error of a request that not every driver supports.
  ///
  /// - Parameter feature: the feature, in words.
  init(requesting feature: String, at endpoint: Endpoint, _ errno: Errno, in operation: String) {
    switch errno {
    // The kernel's error for a driver without the operation, and the errors of drivers themselves.
    case .inappropriateIOCTLForDevice, .invalidArgument, .notSupported:
      self.init(.unsupported, in: operation, at: endpoint, errno: errno, subject: feature)
    default: self.init(using: endpoint, errno, in: operation)
    }
  }
}

extension SerialError: CustomStringConvertible {
  /// For logs and tests, not for users: `busy in flock at /dev/ttyUSB0: Resource temporarily …`.
  public var description: String {
    "\(code) in \(operation)" + (subject.map { " of \($0)" } ?? "") + " at \(endpoint)"
      + (errno.map { ": \($0)" } ?? "")
  }
}
