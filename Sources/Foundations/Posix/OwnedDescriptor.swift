import Glibc
package import SystemPackage

/// A file descriptor with one owner. It is closed exactly once, when the owner releases it.
package struct OwnedDescriptor: ~Copyable {
  /// The descriptor, for use without ownership: callers must not close it.
  package let borrowed: FileDescriptor

  /// Takes ownership of an open descriptor.
  package init(_ descriptor: FileDescriptor) { borrowed = descriptor }

  // close(2) must not be repeated after EINTR: on Linux it has closed the descriptor anyway.
  deinit { _ = Glibc.close(borrowed.rawValue) }

  /// The flag `O_PATH` of open(2), which names a file without opening it. <fcntl.h> declares it
  /// only with _GNU_SOURCE.
  package static let forPath = __O_PATH

  /// Opens a file close-on-exec. The corresponding C function is `open`.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - flags: `O_RDWR`, `O_NONBLOCK`, …; `O_CLOEXEC` is added.
  ///   - permissions: the mode of a file that `O_CREAT` creates, before the umask is applied.
  /// - Throws: the errors of open(2).
  package static func open(
    _ path: FilePath, _ flags: CInt, permissions: CInterop.Mode = 0o600
  ) throws(Errno) -> OwnedDescriptor {
    let rawValue = try systemCall {
      path.withPlatformString { Glibc.open($0, flags | O_CLOEXEC, permissions) }
    }
    return OwnedDescriptor(FileDescriptor(rawValue: rawValue))
  }
}

/// A descriptor with several owners. The last one that is released closes it.
package final class SharedDescriptor: Sendable {
  private let owned: OwnedDescriptor
  package var borrowed: FileDescriptor { owned.borrowed }

  package init(_ owned: consuming OwnedDescriptor) { self.owned = owned }

  /// Creates a pipe, close-on-exec. The corresponding C function is `pipe`.
  ///
  /// - Throws: the errors of pipe(2).
  package static func pipe() throws(Errno) -> (reader: SharedDescriptor, writer: SharedDescriptor) {
    var ends: [CInt] = [-1, -1]
    // Swift's Glibc module has no pipe2(2). FD_CLOEXEC can be set later, because no other
    // thread starts programs.
    try systemCall { Glibc.pipe(&ends) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    func shared(_ end: CInt) -> SharedDescriptor {
      SharedDescriptor(OwnedDescriptor(FileDescriptor(rawValue: end)))
    }
    return (shared(ends[0]), shared(ends[1]))
  }
}
