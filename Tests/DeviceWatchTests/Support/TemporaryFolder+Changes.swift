import Glibc
import Posix
import SystemPackage
import TestSupport

/// Operations of tests in a temporary folder.
extension TemporaryFolder {
  @discardableResult
  func makeFolder(_ name: String) throws -> FilePath {
    try systemCall { self(name).withPlatformString { mkdir($0, 0o755) } }
    return self(name)
  }

  @discardableResult
  func makeFile(_ name: String) throws -> FilePath {
    let file = try FileDescriptor.open(
      self(name), .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    try file.close()
    return self(name)
  }

  /// Makes a symbolic link.
  @discardableResult
  func link(_ name: String, to target: FilePath) throws -> FilePath {
    try systemCall {
      target.withPlatformString { target in
        self(name).withPlatformString { symlink(target, $0) }
      }
    }
    return self(name)
  }

  func rename(_ old: String, to new: String) throws {
    try systemCall {
      self(old).withPlatformString { old in self(new).withPlatformString { Glibc.rename(old, $0) } }
    }
  }

  /// Deletes a file, a link or an empty folder.
  func delete(_ name: String) throws {
    try systemCall { self(name).withPlatformString { remove($0) } }
  }

  func setPermissions(_ mode: mode_t, of name: String) throws {
    try systemCall { self(name).withPlatformString { chmod($0, mode) } }
  }
}
