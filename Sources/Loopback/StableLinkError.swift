public import SystemPackage

/// Why a ``StableLink`` could not be made.
public struct StableLinkError: Error, Hashable, Sendable {
  /// The path that it is about.
  public let path: FilePath
  /// What stood in the way.
  public let reason: Reason

  /// What stood in the way of a link.
  public enum Reason: Hashable, Sendable {
    /// Something is there that is not replaced.
    case occupied(by: Occupant)
    /// A system call failed: its name, and what it said.
    case failed(String, Errno)
  }

  /// What is at a path.
  public enum Occupant: Hashable, Sendable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link to something that exists, or cannot be looked at.
    case link(to: FilePath)
    /// A device, a socket or a pipe.
    case special
  }
}

extension StableLinkError: CustomStringConvertible {
  /// The error in one line.
  public var description: String {
    switch reason {
    case .occupied(by: .file): "\(path): a file is there"
    case .occupied(by: .directory): "\(path): a directory is there"
    case .occupied(by: .link(let target)): "\(path): a link to \(target) is there"
    case .occupied(by: .special): "\(path): a device, a socket or a pipe is there"
    case .failed(let operation, let errno): "\(path): \(operation): \(errno)"
    }
  }
}
