public import Glibc
public import SystemPackage

/// A file descriptor with one owner, closed once: when the owner lets go of it.
public struct OwnedDescriptor: ~Copyable {
  /// The descriptor, lent: whoever borrows it must not close it.
  public let borrowed: FileDescriptor

  /// Takes over the closing of a descriptor.
  public init(_ descriptor: FileDescriptor) { borrowed = descriptor }

  // close(2) must not be repeated after EINTR: on Linux the descriptor is gone all the same.
  deinit { _ = Glibc.close(borrowed.rawValue) }

  /// Opens a file close-on-exec. The corresponding C function is `open`.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - flags: `O_RDWR`, `O_NONBLOCK`, …; `O_CLOEXEC` is added.
  ///   - permissions: of a file that `O_CREAT` creates, less the umask.
  /// - Throws: what open(2) says.
  public static func open(
    _ path: FilePath, _ flags: CInt, permissions: mode_t = 0o600
  ) throws(Errno) -> OwnedDescriptor {
    let rawValue = try systemCall {
      path.withPlatformString { Glibc.open($0, flags | O_CLOEXEC, permissions) }
    }
    return OwnedDescriptor(FileDescriptor(rawValue: rawValue))
  }
}
