import Glibc
import Posix
public import SystemPackage

/// Who besides the owner may use a log's files: the mode and the group of new ones.
public struct LogAccess: Hashable, Sendable {
  /// The mode, whatever the umask is. The owner can always read and write.
  public var mode: FilePermissions
  /// The group; nil for the one that the system gives a new file.
  public var group: GroupID?

  /// Creates an access, by default the owner's alone.
  public init(mode: FilePermissions = .ownerReadWrite, group: GroupID? = nil) {
    self.mode = mode
    self.group = group
  }

  /// Gives it to a file that was just created, which is removed again if that fails.
  ///
  /// The corresponding C functions are `fchown` and `fchmod`.
  ///
  /// - Throws: ``LogFileError``.
  func apply(to file: borrowing OwnedDescriptor, at path: FilePath) throws(LogFileError) {
    guard self != LogAccess() else { return }
    let descriptor = file.borrowed.rawValue
    do throws(Errno) {
      if let group {
        try systemCall { fchown(descriptor, uid_t.max, group.rawValue) }
      }
      try systemCall { fchmod(descriptor, mode.rawValue) }
    } catch {
      // A failed attempt leaves no file behind.
      _ = path.withPlatformString { unlink($0) }
      throw LogFileError(path, .accessRefused(error))
    }
  }
}
