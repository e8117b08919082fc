public import SystemPackage

/// The reason why a ``StableLink`` could not be created.
public struct StableLinkError: Error, Hashable, Sendable {
  /// The path that caused the error.
  public let path: FilePath
  /// The reason.
  public let reason: Reason

  /// Why a link could not be created.
  public enum Reason: Hashable, Sendable {
    /// A file exists at the path and is not replaced.
    case occupied(by: Occupant)
    /// A system call failed: its name and error.
    case failed(String, Errno)
  }

  /// The kind of file at a path.
  public enum Occupant: Hashable, Sendable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link whose target exists, or cannot be checked.
    case link(to: FilePath)
    /// A device, a socket or a pipe.
    case special
  }
}

extension StableLinkError: CustomStringConvertible {
  /// The error in one line.
  public var description: String {
    switch reason {
    case .occupied(by: .file): "\(path): a file exists there"
    case .occupied(by: .directory): "\(path): a directory exists there"
    case .occupied(by: .link(let target)): "\(path): a link to \(target) exists there"
    case .occupied(by: .special): "\(path): a device, a socket or a pipe exists there"
    case .failed(let operation, let errno): "\(path): \(operation): \(errno)"
    }
  }
}
