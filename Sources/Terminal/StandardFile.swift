import Glibc
package import Posix
package import SystemPackage

/// A standard stream that is opened again, where possible, so that it never blocks.
package final class StandardFile {
  /// The descriptor to read from or write to.
  package let descriptor: FileDescriptor
  /// Whether the descriptor is non-blocking. Regular files need not be. Sockets and the masters of
  /// pseudo-terminals cannot be opened again, and a terminal may belong to another user.
  let isNonBlocking: Bool

  /// Whether the stream is open in this direction. The wrong end of a pipe would
  /// never become ready.
  package let isUsable: Bool

  private let ownFile: OwnedDescriptor?
  /// Whether it is the master of a pseudo-terminal. Reading fails with `EIO` when no program has
  /// the other end open.
  package let isMaster: Bool

  /// Opens a stream again, if it is a terminal or a pipe.
  ///
  /// - Parameters:
  ///   - stream: the inherited descriptor.
  ///   - access: `O_RDONLY` or `O_WRONLY`.
  package init(_ stream: FileDescriptor, _ access: CInt) {
    isMaster = stream.isPseudoTerminalMaster
    if let file = stream.reopened(for: access) {
      descriptor = file.borrowed
      (isNonBlocking, isUsable) = (true, true)
      ownFile = consume file
    } else {
      descriptor = stream
      isNonBlocking = fcntl(stream.rawValue, F_GETFL) & O_NONBLOCK == O_NONBLOCK
      isUsable = stream.permits(access)
      ownFile = nil
    }
  }

  /// Reads available bytes. Call it when the descriptor is readable.
  ///
  /// - Throws: the errors of read(2).
  package func readAvailable(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> ReadOutcome {
    do throws(Errno) {
      return try descriptor.readAvailable(into: buffer)
    } catch .ioError where isMaster {
      // No program has the other end of the pseudo-terminal open any more.
      return .endOfFile
    }
  }
}
