import Glibc
import Posix
public import SystemPackage

/// The access to a log's files: the mode and the group of new files.
public struct LogAccess: Hashable, Sendable {
  /// The mode, independent of the umask. The owner can always read and write.
  public var mode: FilePermissions
  /// The group; nil for the default group of a new file.
  public var group: GroupID?

  /// Creates an access; by default only for the owner.
  public init(mode: FilePermissions = .ownerReadWrite, group: GroupID? = nil) {
    self.mode = mode
    self.group = group
  }

  /// Applies the access to a new file. If that fails, the file is removed.
  ///
  /// - Parameters:
  ///   - place: where the file is.
  ///   - path: its path for messages. The corresponding C functions are `fchown` and `fchmod`.
  ///
  /// - Throws: ``LogFileError``.
  func apply(
    to file: borrowing OwnedDescriptor, at place: FilePath, named path: FilePath
  ) throws(LogFileError) {
    guard self != LogAccess() else { return }
    let descriptor = file.borrowed.rawValue
    do throws(Errno) {
      if let group {
        try systemCall { fchown(descriptor, uid_t.max, group.rawValue) }
      }
      try systemCall { fchmod(descriptor, mode.rawValue) }
    } catch {
      // A failed attempt leaves no file behind, unless another file has the name by now.
      if let identity = try? FileIdentity(of: file.borrowed), let entry = try? NameInFolder(place) {
        _ = try? entry.remove(ifStill: identity)
      }
      throw LogFileError(path, .accessRefused(error))
    }
  }
}
