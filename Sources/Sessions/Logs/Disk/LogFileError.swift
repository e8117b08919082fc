import Posix
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
    /// The path is a folder, a device, a named pipe or a socket. The value says which, in words.
    case notAFile(String)
    /// The mode or group of a new file cannot be set.
    case accessRefused(Errno)
    /// The error of a system call.
    case system(Errno)
  }

  init(_ path: FilePath, _ error: Errno) {
    self.path = path
    // open(2) reports only that something exists, or that its kind does not fit.
    let type = try? path.stat(followTargetSymlink: false).type
    reason =
      switch (error, type) {
      case (.fileExists, .symbolicLink), (.tooManySymbolicLinkLevels, _): .symbolicLink
      case (.fileExists, let type?), (.noSuchAddressOrDevice, let type?),
        (.isDirectory, let type?):
        type.specialKind.map { .notAFile($0) } ?? .exists
      case (.fileExists, nil): .exists
      default: .system(error)
      }
  }

  /// Creates an error.
  public init(_ path: FilePath, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }
}

extension LogFileError.Reason {
  /// The problem without the path, as a reason why a file cannot be started there.
  package var words: String {
    switch self {
    case .exists: "a file is there"
    case .symbolicLink: "a symbolic link is there"
    case .notAFile(let kind): "\(kind) is there"
    case .accessRefused(let error): "its mode or group cannot be set (\(error))"
    case .system(let error): "\(error)"
    }
  }
}

extension LogFileError: CustomStringConvertible {
  /// The path and the problem.
  public var description: String {
    switch reason {
    case .exists: "\(path) exists already"
    case .symbolicLink: "\(path) is a symbolic link, which a log does not follow"
    case .notAFile(let kind):
      "\(path) is \(kind)" + (kind == "a folder" ? ": name a file in it" : "")
    case .system(.noSuchFileOrDirectory):
      "\(path): there is no folder \(path.removingLastComponent())"
    case .accessRefused(let error): "\(path): the log's mode or group cannot be set (\(error))"
    case .system(let error): "\(path): the log cannot be opened (\(error))"
    }
  }
}
