import Glibc
package import SystemPackage

/// The identity, size and modification time of a file: a change of its contents changes them.
package struct FileState: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t
  private let size: off_t
  private let seconds, nanoseconds: Int

  /// The state of the file at a path, behind symbolic links. The corresponding C function
  /// is `fstatat`.
  ///
  /// - Returns: nil if it is not a regular file, or cannot be looked at.
  package init?(of path: FilePath) {
    var facts = Glibc.stat()
    let isKnown = path.withPlatformString { fstatat(AT_FDCWD, $0, &facts, 0) == 0 }
    guard isKnown, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, inode, size) = (facts.st_dev, facts.st_ino, facts.st_size)
    (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
  }
}
