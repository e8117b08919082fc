public import SystemPackage

/// Why a file cannot be used for a log.
public struct LogFileError: Error, Hashable, Sendable {
  /// The file.
  public let path: FilePath
  /// The kind of problem.
  public let reason: Reason

  /// The kinds of problems with a file.
  public enum Reason: Hashable, Sendable {
    /// The file exists, and appending is not allowed.
    case exists
    /// The path is a symbolic link: a log never follows one.
    case symbolicLink
    /// The path is a folder, a device, a named pipe or a socket.
    case notAFile
    /// The mode or group of a new file cannot be set.
    case accessRefused(Errno)
    /// The error of a system call.
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
  /// The path and the problem.
  public var description: String {
    switch reason {
    case .exists: "\(path): the file exists already"
    case .symbolicLink: "\(path): a symbolic link, which a log does not follow"
    case .notAFile: "\(path): not a regular file"
    case .accessRefused(let error): "\(path): the log's mode or group cannot be set (\(error))"
    case .system(let error): "\(path): the log cannot be opened (\(error))"
    }
  }
}
