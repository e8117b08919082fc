import CSerial
import Glibc
import Posix
import SystemPackage

extension FilePath {
  /// Whether anything has this name, a symbolic link that leads nowhere included.
  var exists: Bool { (try? stat(followTargetSymlink: false)) != nil }

  /// Renames a file, and replaces what has the new name. The corresponding C function is `rename`.
  ///
  /// - Throws: the error of rename(2).
  func rename(to new: FilePath) throws(Errno) {
    try systemCall {
      withPlatformString { old in new.withPlatformString { Glibc.rename(old, $0) } }
    }
  }

  /// Renames a file unless something has the new name. The corresponding C function is `renameat2`
  /// with `RENAME_NOREPLACE`.
  ///
  /// - Returns: false if something has the new name.
  /// - Throws: the error of renameat2(2).
  func renameUnlessExists(to new: FilePath) throws(Errno) -> Bool {
    do throws(Errno) {
      try systemCall {
        withPlatformString { old in
          new.withPlatformString {
            renameat2(AT_FDCWD, old, AT_FDCWD, $0, CUnsignedInt(CSERIAL_RENAME_NOREPLACE))
          }
        }
      }
    } catch .fileExists {
      return false
    } catch .invalidArgument {
      // The file system has no such flag, as NFS.
      return try linkUnlessExists(to: new)
    }
    return true
  }

  private func linkUnlessExists(to new: FilePath) throws(Errno) -> Bool {
    do throws(Errno) {
      try systemCall {
        withPlatformString { old in new.withPlatformString { link(old, $0) } }
      }
      try systemCall { withPlatformString { unlink($0) } }
    } catch .fileExists {
      return false
    } catch .notPermitted {
      // The file system has no hard links either. The only way left is to check first.
      guard !new.exists else { return false }
      try rename(to: new)
    }
    return true
  }
}
