public import SystemPackage

/// What went wrong with a port: what happened, in what, where, and what the system said of it.
///
/// What to do about it, and in which words, is for the program to say.
public struct SerialError: Error, Hashable, Sendable {
  /// What happened.
  public let code: Code
  /// What was being done, as the C function or the request is called: `open`, `TCSETS2`.
  public let operation: String
  /// The port's node, as it was given.
  public let path: FilePath
  /// What the system said, where it said anything.
  public let errno: Errno?
  /// What it is about, where the code leaves that open: the setting that was refused, the feature
  /// that is missing, the lock file.
  public let subject: String?

  /// What happened.
  public enum Code: Hashable, Sendable {
    /// There is no such node.
    case notFound
    /// There is a node, but no hardware behind it.
    case noHardware
    /// It is something else than a serial port: a folder, a file, another kind of device.
    case notASerialPort
    /// The node's permissions do not allow it.
    case permissionDenied
    /// Another process, or another session of this one, has it.
    case busy
    /// The session is bound to a port already: one session, one device.
    case alreadyBound
    /// The session is bound to no open port.
    case notOpen
    /// The device is gone.
    case lost
    /// The driver refused a setting.
    case settingRefused
    /// The driver has no such feature.
    case unsupported
    /// There is a lock file that says nothing, or one cannot be made.
    case lockFailed
    /// The write queue has no room for all of it; nothing of it was taken.
    case queueFull
    /// Something else: see ``SerialError/errno``.
    case system
  }

  /// Creates an error.
  public init(
    _ code: Code, in operation: String, at path: FilePath, errno: Errno? = nil,
    subject: String? = nil
  ) {
    self.code = code
    self.operation = operation
    self.path = path
    self.errno = errno
    self.subject = subject
  }

  /// The error of an open(2), or of the first request after it.
  init(opening path: FilePath, _ errno: Errno, in operation: String) {
    let code: Code =
      switch errno {
      // The last two: no such path can lead anywhere.
      case .noSuchFileOrDirectory, .notDirectory, .noSuchAddressOrDevice,
        .operationNotSupportedByDevice, .tooManySymbolicLinkLevels, .fileNameTooLong:
        .notFound
      case .permissionDenied, .notPermitted: .permissionDenied
      case .resourceBusy: .busy
      case .inappropriateIOCTLForDevice, .isDirectory: .notASerialPort
      case .ioError: .noHardware
      default: .system
      }
    self.init(code, in: operation, at: path, errno: errno)
  }

  /// The error of an operation on an open port.
  init(using path: FilePath, _ errno: Errno, in operation: String) {
    let code: Code =
      switch errno {
      // What a terminal that was hung up answers, and a USB adapter that was pulled.
      case .ioError, .operationNotSupportedByDevice, .noSuchAddressOrDevice, .brokenPipe: .lost
      default: .system
      }
    self.init(code, in: operation, at: path, errno: errno)
  }
}

extension SerialError {
  /// The error of a request that not every driver knows.
  ///
  /// - Parameter feature: what it is about, in words.
  init(requesting feature: String, at path: FilePath, _ errno: Errno, in operation: String) {
    switch errno {
    // What the kernel answers for a driver that has no such operation, and what drivers answer
    // themselves.
    case .inappropriateIOCTLForDevice, .invalidArgument, .notSupported:
      self.init(.unsupported, in: operation, at: path, errno: errno, subject: feature)
    default: self.init(using: path, errno, in: operation)
    }
  }
}

extension SerialError: CustomStringConvertible {
  /// For logs and tests, not for users: `busy in flock at /dev/ttyUSB0: Resource temporarily …`.
  public var description: String {
    "\(code) in \(operation)" + (subject.map { " of \($0)" } ?? "") + " at \(path)"
      + (errno.map { ": \($0)" } ?? "")
  }
}
