import Glibc
import Posix
package import SystemPackage

/// A standard stream that is opened again, where possible, so that it never blocks.
///
/// O_NONBLOCK belongs to the open file description, not to the descriptor. On the inherited stream it would affect
/// every program that shares it, including the user's shell. See open(2).
package final class StandardFile {
  /// The descriptor to read from or write to.
  package let descriptor: FileDescriptor
  /// Whether the descriptor is non-blocking. Regular files need not be. Sockets cannot be opened again, and a
  /// terminal may belong to another user.
  let isNonBlocking: Bool

  private let ownFile: OwnedDescriptor?

  /// Opens a stream again, if it is a terminal or a pipe.
  ///
  /// - Parameters:
  ///   - stream: the inherited descriptor.
  ///   - access: `O_RDONLY` or `O_WRONLY`.
  package init(_ stream: FileDescriptor, _ access: CInt) {
    let type = try? stream.stat().type
    let path = FilePath("/proc/self/fd/\(stream.rawValue)")
    let flags = access | O_NONBLOCK | O_NOCTTY
    if type == .characterSpecial || type == .fifo,
      let file = try? OwnedDescriptor.open(path, flags)
    {
      descriptor = file.borrowed
      isNonBlocking = true
      ownFile = consume file
    } else {
      descriptor = stream
      isNonBlocking =
        type == .socket && fcntl(stream.rawValue, F_GETFL) & O_NONBLOCK == O_NONBLOCK
      ownFile = nil
    }
  }
}
