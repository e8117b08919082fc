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

  /// Makes a shell script that can be run. Another process writes it: a child that another test
  /// starts meanwhile has a copy of each descriptor of this one until it runs its program, and the
  /// kernel runs no file that is open for writing (`ETXTBSY`).
  ///
  /// - Throws: the errors of posix_spawn(3) and writing; `EIO` if install(1) fails.
  public func makeScript(_ name: String, _ lines: String) throws -> FilePath {
    let text = path.appending("\(name).text")
    let file = try FileDescriptor.open(
      text, .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
    _ = try file.closeAfter { try file.writeAll("#!/bin/sh\n\(lines)\n".utf8) }
    let words = ["install", "-m", "755", text.string, path.appending(name).string]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let error = posix_spawnp(&child, "install", nil, nil, &arguments, environ)
    guard error == 0 else { throw Errno(rawValue: error) }
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw Errno.ioError }
    return path.appending(name)
  }
}
