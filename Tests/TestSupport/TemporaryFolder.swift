import Glibc
import Posix
public import SystemPackage

/// A folder of a test's own, which goes with all that is in it.
public final class TemporaryFolder {
  /// Its path, in which no link is left to follow: /tmp itself may be one.
  public let path: FilePath

  /// Makes it. The corresponding C function is `mkdtemp`.
  ///
  /// - Throws: what mkdtemp(3) and realpath(3) say.
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
