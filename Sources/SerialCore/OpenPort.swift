import Glibc
import Posix
import SystemPackage

/// An open port, and what has to be restored before it is closed.
///
/// Every change registers here how it is undone. So a port whose opening fails half way is left as
/// it was found, in the same way as one that is closed.
final class OpenPort {
  let path: FilePath
  /// Whether the speed was found to be 0, which stands for "hung up".
  var wasHungUp = false
  /// Whether low latency is on because a session prefers it; see ``preferLowLatency(_:)``.
  var prefersLowLatency = false
  private var lockFile: MadeUUCPLock?
  private var owned: OwnedDescriptor?
  private var restorations: [Restoration] = []
  private var isExclusive = false

  /// Undoes a change, on the port's descriptor at that time.
  typealias Restoration = (FileDescriptor) -> Void

  /// Opens a node without waiting for carrier detect and without becoming the controlling terminal,
  /// and non-blocking for good.
  ///
  /// - Parameter lockFile: removed when the port is closed, also if it cannot be opened.
  /// - Throws: `Errno` of open(2).
  init(_ path: FilePath, lockedBy lockFile: consuming MadeUUCPLock?) throws(Errno) {
    self.path = path
    self.lockFile = lockFile
    owned = try OwnedDescriptor.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
  }

  deinit { close() }

  var isOpen: Bool { owned != nil }

  /// The port's descriptor, borrowed.
  var descriptor: FileDescriptor {
    guard let descriptor = owned?.borrowed else {
      preconditionFailure("a link was used after it was closed")
    }
    return descriptor
  }

  /// Registers how a change is undone before the port is closed: the last change first. After an
  /// unplug a restoration fails, and there is nothing left to restore.
  func beforeClosing(_ restore: @escaping Restoration) { restorations.append(restore) }

  /// Refuses further opens, except root's, until the port is closed. The corresponding
  /// request is `TIOCEXCL`.
  ///
  /// The flag belongs to the terminal, not to the open file: it would outlive a close while another
  /// process has the terminal open. Every terminal has it; a driver without it is still protected
  /// by flock(2), whose lock ends with the descriptor.
  func excludeOthers() {
    isExclusive = true
    _ = ioctl(descriptor.rawValue, UInt(TIOCEXCL), 0 as CInt)
  }

  /// Restores everything, then closes. Calling it again does nothing.
  func close() {
    guard isOpen else { return }
    for restore in restorations.reversed() { restore(descriptor) }
    release()
  }

  /// Closes the port for another program, with its present settings.
  ///
  /// - Parameter isMarked: whether errors are marked, which ends: the other program would take the
  ///   marks for data.
  /// - Returns: what ``close()`` would have restored.
  func lend(marksErrors isMarked: Bool) -> LentPort {
    if isMarked, var attributes = try? TerminalAttributes(of: descriptor) {
      attributes.makeRaw()
      _ = try? attributes.set(on: descriptor)
    }
    defer { release() }
    return LentPort(restorations: restorations)
  }

  /// Restores, when the port is closed, what an earlier opening found too.
  func inherit(_ lent: LentPort) { restorations.insert(contentsOf: lent.restorations, at: 0) }

  private func release() {
    if isExclusive {
      _ = ioctl(descriptor.rawValue, UInt(TIOCNXCL), 0 as CInt)
      // A child of another thread has a copy of the descriptor until it runs its program, and the
      // lock would last as long.
      _ = flock(descriptor.rawValue, LOCK_UN)
    }
    isExclusive = false
    restorations = []
    owned = nil
    // Last: a program that waits for the lock file to go opens the port at once.
    lockFile = nil
  }
}

/// What a session found at a port before it lent the port to another program; see ``Link/lend()``.
public struct LentPort {
  fileprivate let restorations: [OpenPort.Restoration]
}
