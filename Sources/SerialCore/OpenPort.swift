import Glibc
import Posix
import SystemPackage

/// An open port and what is to be put back before it is closed.
///
/// Whatever is changed says here how it is undone. So a port that could not be opened to the end is
/// left as it was found, in the same way as one that is closed.
final class OpenPort {
  let path: FilePath
  /// Whether the speed was found to be 0, which stands for "hung up".
  var wasHungUp = false
  private var lockFile: MadeUUCPLock?
  private var owned: OwnedDescriptor?
  private var restorations: [(FileDescriptor) -> Void] = []

  /// Opens a node without waiting for carrier detect and without becoming the controlling terminal,
  /// and non-blocking for good.
  ///
  /// - Parameter lockFile: removed when the port is closed, also if it cannot be opened.
  init(_ path: FilePath, lockedBy lockFile: consuming MadeUUCPLock?) throws(Errno) {
    self.path = path
    self.lockFile = lockFile
    owned = try OwnedDescriptor.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
  }

  deinit { close() }

  var isOpen: Bool { owned != nil }

  /// Lent.
  var descriptor: FileDescriptor {
    guard let descriptor = owned?.borrowed else {
      preconditionFailure("a link was used after it was closed")
    }
    return descriptor
  }

  /// Adds what is to be done before the port is closed; what was added last is done first. Nothing
  /// is done after an unplug, where there is nothing left to restore: a failure is of no interest.
  func beforeClosing(_ restore: @escaping (FileDescriptor) -> Void) { restorations.append(restore) }

  /// Puts everything back, then closes. Calling it again does nothing.
  func close() {
    for restore in restorations.reversed() { restore(descriptor) }
    restorations = []
    owned = nil
    // Whoever waits for it to go opens the port then.
    lockFile = nil
  }
}
