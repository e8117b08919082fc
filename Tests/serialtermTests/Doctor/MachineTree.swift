import Glibc
import Posix
import SystemPackage

/// A folder that stands for the root of a machine, and goes with all that is in it.
final class MachineTree {
  let root: FilePath

  init() throws {
    var template = Array("/tmp/machine-tree-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    root = FilePath(platformString: template)
  }

  deinit { Self.deleteTree(root) }

  private static func deleteTree(_ path: FilePath) {
    if let file = try? path.stat(followTargetSymlink: false), file.type == .directory {
      for name in path.entryNames() { deleteTree(path.appending(name)) }
    }
    _ = path.withPlatformString { Glibc.remove($0) }
  }

  /// Where a path of that machine is.
  func callAsFunction(_ path: FilePath) -> FilePath { root.appending(path.components) }

  /// Makes a file, and the folders on the way.
  func write(_ path: FilePath, _ text: String) throws {
    try makeFolder(path.removingLastComponent())
    let file = try FileDescriptor.open(
      self(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    defer { try? file.close() }
    try file.writeAll(text.utf8)
  }

  /// Makes a link to a file outside, as a node that only the real machine can have.
  func link(_ path: FilePath, to target: String) throws {
    try makeFolder(path.removingLastComponent())
    try systemCall { self(path).withPlatformString { symlink(target, $0) } }
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
