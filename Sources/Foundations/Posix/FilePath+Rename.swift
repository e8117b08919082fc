import CSerial
import Glibc
package import SystemPackage

/// Renaming without replacing.
extension FilePath {
  /// Whether any file has this name, including a symbolic link that leads nowhere.
  package var exists: Bool { (try? stat(followTargetSymlink: false)) != nil }

  /// Renames a file, and replaces a file with the new name. The corresponding C
  /// function is `renameat`.
  ///
  /// - Parameter folder: the folder that relative paths start from; by default
  ///   the working directory.
  /// - Throws: the error of renameat(2).
  package func rename(to new: FilePath, in folder: FileDescriptor? = nil) throws(Errno) {
    let folder = folder?.rawValue ?? AT_FDCWD
    try systemCall {
      withPlatformString { old in
        new.withPlatformString { Glibc.renameat(folder, old, folder, $0) }
      }
    }
  }

  /// Renames a file unless the new name is taken. The corresponding C function is
  /// `renameat2` with `RENAME_NOREPLACE`.
  ///
  /// - Parameters:
  ///   - folder: the folder that relative paths start from; by default the working directory.
  ///   - newFolder: the folder that the new path starts from; by default the same.
  /// - Returns: false if the new name is taken.
  /// - Throws: the error of renameat2(2).
  package func renameUnlessExists(
    to new: FilePath, in folder: FileDescriptor? = nil, movingTo newFolder: FileDescriptor? = nil
  ) throws(Errno) -> Bool {
    let here = folder?.rawValue ?? AT_FDCWD
    let there = newFolder?.rawValue ?? here
    do throws(Errno) {
      try systemCall {
        withPlatformString { old in
          new.withPlatformString {
            renameat2(here, old, there, $0, CUnsignedInt(CSERIAL_RENAME_NOREPLACE))
          }
        }
      }
    } catch .fileExists {
      return false
    } catch .invalidArgument {
      // The file system, such as NFS, does not support the flag.
      return try linkUnlessExists(to: new, in: here, movingTo: there)
    }
    return true
  }

  private func linkUnlessExists(
    to new: FilePath, in here: CInt, movingTo there: CInt
  ) throws(Errno) -> Bool {
    do throws(Errno) {
      try systemCall {
        withPlatformString { old in new.withPlatformString { linkat(here, old, there, $0, 0) } }
      }
      try systemCall { withPlatformString { unlinkat(here, $0, 0) } }
    } catch .fileExists {
      return false
    } catch .notPermitted {
      // The file system does not support hard links either. The only remaining way is
      // to check first.
      let isThere = new.withPlatformString { faccessat(there, $0, F_OK, AT_SYMLINK_NOFOLLOW) == 0 }
      guard !isThere else { return false }
      try systemCall {
        withPlatformString { old in new.withPlatformString { Glibc.renameat(here, old, there, $0) }
        }
      }
    }
    return true
  }
}
