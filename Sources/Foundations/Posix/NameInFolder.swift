import Glibc
package import SystemPackage
import Time

/// A name in a folder that is held open.
///
/// A path can lead elsewhere at the next call, if another user may write to one of its folders.
/// This value reaches the same folder each time, and removes or renames a file only if it is still
/// the expected one.
package struct NameInFolder: ~Copyable {
  /// The name in the folder.
  package let name: FilePath
  private let folder: OwnedDescriptor

  /// Opens the folder of a path. Links to the folder are followed, because the caller
  /// chose the path.
  ///
  /// - Throws: the errors of open(2); `EINVAL` if the path does not end with a name.
  package init(_ path: FilePath) throws(Errno) {
    guard let last = path.lastComponent, last.kind == .regular else { throw .invalidArgument }
    let parent = path.removingLastComponent()
    let folder = try Self.open(parent.isEmpty ? "." : parent)
    self.folder = folder
    name = FilePath(last.string)
  }

  private static func open(_ folder: FilePath) throws(Errno) -> OwnedDescriptor {
    do throws(Errno) {
      return try OwnedDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
    } catch .permissionDenied {
      // In such a folder a user may have files, but not list them.
      return try OwnedDescriptor.open(folder, OwnedDescriptor.forPath | O_DIRECTORY)
    }
  }

  /// The folder, for use without ownership.
  package var folderDescriptor: FileDescriptor { folder.borrowed }

  /// A path to the entry, valid while this value exists; see proc_pid_fd(5).
  package var path: FilePath { Self.path(of: name, in: folder.borrowed) }

  /// A path through an open folder.
  package static func path(of name: FilePath, in folder: FileDescriptor) -> FilePath {
    FilePath("/proc/self/fd/\(folder.rawValue)").appending(name.components)
  }

  /// The file that has the name now; nil if there is none.
  package var identity: FileIdentity? { try? FileIdentity(at: name, in: folder.borrowed) }

  /// Removes the file, if it is still the expected one. Never follows a link, never
  /// removes a folder.
  ///
  /// - Throws: the error of unlinkat(2).
  package func remove(ifStill expected: FileIdentity) throws(Errno) {
    guard identity == expected else { return }
    let folder = folder.borrowed.rawValue
    try systemCall { name.withPlatformString { unlinkat(folder, $0, 0) } }
  }

  /// Holds a lock of the folder while a function runs, so that two programs do not change an entry
  /// at the same time. Without permission to read the folder there is no lock. The corresponding C
  /// function is `flock`.
  ///
  /// - Parameter limit: the time to wait for another program. Anybody who may read the folder
  ///   may lock it.
  /// - Throws: `EWOULDBLOCK` if another program has the lock for longer, or an error
  ///   of the function.
  package func locked<Result: ~Copyable>(
    within limit: Duration, _ body: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    guard fcntl(folder.borrowed.rawValue, F_GETFL) & OwnedDescriptor.forPath == 0 else {
      return try body()
    }
    return try folder.borrowed.locked(within: limit, body)
  }
}

extension FileDescriptor {
  /// Holds a lock of an open file or folder while a function runs. The corresponding C
  /// function is `flock`.
  ///
  /// - Parameter limit: the time to wait for another program.
  /// - Throws: `EWOULDBLOCK` if another program has the lock for longer, or an error
  ///   of the function.
  package func locked<Result: ~Copyable>(
    within limit: Duration, _ body: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    let deadline = MonotonicTime.now + limit
    while true {
      do throws(Errno) {
        try systemCall { flock(rawValue, LOCK_EX | LOCK_NB) }
        break
      } catch .wouldBlock {
        guard MonotonicTime.now < deadline else { throw .wouldBlock }
        // Others hold it for a few system calls only. A signal ends the pause early, which
        // does no harm.
        _ = poll(nil, 0, 5)
      }
    }
    defer { _ = flock(rawValue, LOCK_UN) }
    return try body()
  }
}
