public import SystemPackage

/// Why a file could not be opened for a log.
public struct LogFileError: Error, Hashable, Sendable {
  /// The file.
  public let path: FilePath
  /// What stood in the way.
  public let reason: Reason

  /// What stood in the way of a log.
  public enum Reason: Hashable, Sendable {
    /// There is such a file, and it was not asked to be added to.
    case exists
    /// A symbolic link, which is never followed for a log.
    case symbolicLink
    /// A folder, a device, a named pipe, a socket.
    case notAFile
    /// What the system said.
    case system(Errno)
  }

  init(_ path: FilePath, _ error: Errno) {
    self.path = path
    reason =
      switch error {
      case .fileExists: .exists
      case .tooManySymbolicLinkLevels: .symbolicLink
      case .noSuchAddressOrDevice, .isDirectory: .notAFile
      default: .system(error)
      }
  }

  /// Creates an error.
  public init(_ path: FilePath, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }
}

extension LogFileError: CustomStringConvertible {
  /// What is wrong with the path.
  public var description: String {
    switch reason {
    case .exists: "\(path): there is such a file already"
    case .symbolicLink: "\(path): a symbolic link, which is not followed for a log"
    case .notAFile: "\(path): not a file to log to"
    case .system(let error): "\(path): the log cannot be opened (\(error))"
    }
  }
}
