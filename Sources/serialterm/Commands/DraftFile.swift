import Glibc
import Posix
import SystemPackage

/// A regular file that is written under another name beside it, and gets its name when
/// it is complete.
///
/// A full disk or a signal therefore leaves neither half of a file, nor harms the file that
/// was there before.
final class DraftFile {
  private let path: FilePath
  private let draft: FilePath
  private let file: OwnedDescriptor
  private var isPublished = false

  /// Creates the draft.
  ///
  /// - Parameters:
  ///   - path: the file. It is not followed if it is a symbolic link.
  ///   - permissions: the mode of a new file, before the umask is applied. A file that exists
  ///     keeps its mode.
  /// - Throws: the errors of open(2); `invalidArgument` if the path is something else than
  ///   a regular file.
  init(of path: FilePath, permissions: CInterop.Mode = 0o600) throws(Errno) {
    self.path = path
    var permissions = permissions
    if let type = try? path.stat(followTargetSymlink: false).type {
      guard type == .regular else { throw .invalidArgument }
      // rename(2) would also replace a file that the user has write-protected.
      let old = try OwnedDescriptor.open(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)
      permissions = try old.borrowed.stat().permissions.rawValue & 0o777
    }
    let name = path.lastComponent?.string ?? ""
    draft = path.removingLastComponent().appending(".\(name.prefix(200)).\(getpid()).part")
    // Left by a process that had the same number and was killed.
    _ = draft.withPlatformString { unlink($0) }
    file = try OwnedDescriptor.open(
      draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: permissions)
  }

  deinit { if !isPublished { _ = draft.withPlatformString { unlink($0) } } }

  /// The descriptor for writing, valid as long as this object.
  var descriptor: FileDescriptor { file.borrowed }

  /// Gives the file its name.
  ///
  /// - Parameter replaces: whether a file of that name is replaced.
  /// - Returns: false if a file of that name is there, and is not replaced.
  /// - Throws: the errors of fsync(2) and renameat2(2).
  func publish(replacing replaces: Bool) throws(Errno) -> Bool {
    let descriptor = descriptor.rawValue
    // Some file systems report a full disk only here.
    try systemCall { fsync(descriptor) }
    if replaces {
      try draft.rename(to: path)
    } else if try !draft.renameUnlessExists(to: path) {
      return false
    }
    isPublished = true
    return true
  }
}
