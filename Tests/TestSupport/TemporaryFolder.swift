import Glibc
import Posix
public import SystemPackage

/// A temporary folder, deleted with its contents when it is released.
public final class TemporaryFolder {
  /// The path without symbolic links: /tmp itself may be one.
  public let path: FilePath

  /// Creates a folder. The corresponding C function is `mkdtemp`.
  ///
  /// - Throws: the errors of mkdtemp(3) and realpath(3).
  public init() throws(Errno) {
    var template = Array("/tmp/serialterm-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
      throw Errno(rawValue: errno)
    }
    defer { free(real) }
    path = FilePath(platformString: real)
  }

  deinit { Self.deleteTree(path) }

  private static func deleteTree(_ path: FilePath) {
    if let file = try? path.stat(followTargetSymlink: false), file.type == .directory {
      for name in path.entryNames() { deleteTree(path.appending(name)) }
    }
    _ = path.withPlatformString { remove($0) }
  }

  /// A path in the folder.
  public func callAsFunction(_ name: String) -> FilePath { path.appending(name) }
}
