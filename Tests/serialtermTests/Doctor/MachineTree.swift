import Glibc
import Posix
import SystemPackage
import TestSupport

/// A folder that stands for the root directory of a computer. It is removed with its contents.
struct MachineTree {
  private let folder: TemporaryFolder
  var root: FilePath { folder.path }

  init() throws { folder = try TemporaryFolder() }

  /// The real path of a file on that computer.
  func callAsFunction(_ path: FilePath) -> FilePath { root.appending(path.components) }

  /// Creates a file, and the folders that contain it.
  func write(_ path: FilePath, _ text: String) throws {
    try makeFolder(path.removingLastComponent())
    let file = try FileDescriptor.open(
      self(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    defer { try? file.close() }
    try file.writeAll(text.utf8)
  }

  /// Creates a link to a file outside, for a node that only the real computer can have.
  func link(_ path: FilePath, to target: String) throws {
    try makeFolder(path.removingLastComponent())
    try systemCall { self(path).withPlatformString { symlink(target, $0) } }
  }

  /// Creates a named pipe, as any user can in a world-writable folder.
  func makePipe(_ path: FilePath) throws {
    try makeFolder(path.removingLastComponent())
    try systemCall { self(path).withPlatformString { mkfifo($0, 0o600) } }
  }

  /// Deletes a file or a link.
  func remove(_ path: FilePath) throws {
    try systemCall { self(path).withPlatformString { unlink($0) } }
  }

  private func makeFolder(_ path: FilePath) throws {
    var folder = root
    for component in path.components {
      folder.append(component)
      _ = folder.withPlatformString { mkdir($0, 0o755) }
    }
  }
}
