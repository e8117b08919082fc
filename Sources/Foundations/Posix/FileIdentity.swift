import Glibc
package import SystemPackage

/// The identity of a file, independent of its name. The number of a deleted file may be reused, but
/// not while the file is open.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  /// The identity of an open file. The corresponding C function is `fstat`.
  package init(of descriptor: FileDescriptor) throws(Errno) {
    var facts = Glibc.stat()
    try systemCall { fstat(descriptor.rawValue, &facts) }
    self.init(facts)
  }

  /// The identity of the file at a path; that of a symbolic link itself. The corresponding C
  /// function is `fstatat`.
  ///
  /// - Parameter folder: the folder that a relative path starts from; by default
  ///   the working directory.
  package init(at path: FilePath, in folder: FileDescriptor? = nil) throws(Errno) {
    var facts = Glibc.stat()
    try systemCall {
      path.withPlatformString {
        fstatat(folder?.rawValue ?? AT_FDCWD, $0, &facts, AT_SYMLINK_NOFOLLOW)
      }
    }
    self.init(facts)
  }

  private init(_ facts: Glibc.stat) { (device, inode) = (facts.st_dev, facts.st_ino) }
}
