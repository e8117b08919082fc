import Glibc
import Posix
import SystemPackage

@testable import DeviceWatch

/// A folder of its own that goes with all that is in it.
final class TemporaryFolder {
  let path: FilePath

  init() throws {
    var template = Array("/tmp/device-watch-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    // Where /tmp itself is a link, tests want the folder that it leads to.
    let folder = FilePath(platformString: template)
    path = folder.realPath ?? folder
  }

  deinit { Self.deleteTree(path) }

  private static func deleteTree(_ path: FilePath) {
    if let file = try? path.stat(followTargetSymlink: false), file.type == .directory {
      for name in path.entryNames() { deleteTree(path.appending(name)) }
    }
    _ = path.withPlatformString { remove($0) }
  }

  /// A path in the folder.
  func callAsFunction(_ name: String) -> FilePath { path.appending(name) }

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
