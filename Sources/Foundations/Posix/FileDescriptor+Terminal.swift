import Glibc
package import SystemPackage

extension FileDescriptor {
  /// Whether it is a terminal at which a user can sit.
  ///
  /// The master of a pseudo-terminal is not, although isatty(3) is true for it: its other end is
  /// the terminal, of a program, and what is written to it is that program's input. For this
  /// program it is a pipe in two directions.
  package var isTerminal: Bool { isatty(rawValue) == 1 && !isPseudoTerminalMaster }

  /// Whether it is the master of a pseudo-terminal. See pty(7).
  package var isPseudoTerminalMaster: Bool {
    (try? nodeOfMaster()) != nil
  }

  /// The number of the terminal behind the open file, which may have been opened by a name that
  /// stands for it, such as /dev/tty; nil if it is no terminal.
  package var terminalNumber: DeviceID? {
    var bits: CUnsignedInt = 0
    guard ioctl(rawValue, TerminalRequest.device, &bits) == 0 else { return nil }
    return DeviceID(encoded: bits)
  }

  /// Opens the same terminal, pipe or device again, close-on-exec and non-blocking.
  ///
  /// O_NONBLOCK belongs to the open file description, not to the descriptor. On an inherited stream
  /// it would affect every program that shares it, including the user's shell. See open(2).
  ///
  /// - Parameter access: `O_RDONLY` or `O_WRONLY`.
  /// - Returns: nil if opening it again is not possible (a socket; a terminal of another user) or
  ///   would give something else: another pseudo-terminal for a master, another position for a
  ///   regular file, the other direction for a pipe.
  package func reopened(for access: CInt) -> OwnedDescriptor? {
    switch try? stat().type {
    case .characterSpecial: guard !isPseudoTerminalMaster else { return nil }
    case .fifo: guard permits(access) else { return nil }
    default: return nil
    }
    return try? OwnedDescriptor.open(
      FilePath("/proc/self/fd/\(rawValue)"), access | O_NONBLOCK | O_NOCTTY)
  }

  /// Whether it was opened for reading (`O_RDONLY`) or for writing (`O_WRONLY`).
  package func permits(_ access: CInt) -> Bool {
    let flags = fcntl(rawValue, F_GETFL)
    // O_PATH permits neither.
    guard flags >= 0, flags & OwnedDescriptor.forPath == 0 else { return false }
    return flags & O_ACCMODE == O_RDWR || flags & O_ACCMODE == access
  }
}

// Swift's Glibc module does not have the functions of the C library for pseudo-terminals. These are
// their operations.
extension OwnedDescriptor {
  /// Opens the master of a new pseudo-terminal, non-blocking, and permits to open its node. The
  /// corresponding C functions are `posix_openpt`, `grantpt` and `unlockpt`.
  ///
  /// - Throws: the errors of open(2) for `/dev/ptmx` and of ioctl(2).
  package static func openMaster() throws(Errno) -> OwnedDescriptor {
    let master = try open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
    let descriptor = master.borrowed.rawValue
    var isLocked: CInt = 0
    try systemCall { ioctl(descriptor, TerminalRequest.setLock, &isLocked) }
    return master
  }
}

extension FileDescriptor {
  /// The node of the pseudo-terminal of which this is the master: `/dev/pts/N`. The corresponding C
  /// function is `ptsname`.
  package func nodeOfMaster() throws(Errno) -> FilePath {
    var number: CUnsignedInt = 0
    try systemCall { ioctl(rawValue, TerminalRequest.number, &number) }
    return FilePath("/dev/pts/\(number)")
  }
}

/// Requests of ioctl_tty(2) whose C macros compute a number and are not imported by Swift.
package enum TerminalRequest {
  /// `TIOCSPTLCK`: whether clients are refused, as an int.
  fileprivate static let setLock = encode(direction: 1, number: 0x31)
  /// `TIOCGPTN`: the number of the node, as an unsigned int.
  fileprivate static let number = encode(direction: 2, number: 0x30)
  /// `TIOCGDEV`: the number of the device, as an unsigned int.
  fileprivate static let device = encode(direction: 2, number: 0x32)
  /// `TIOCGEXCL`: whether `TIOCEXCL` is set, as an int.
  package static let isExclusive = encode(direction: 2, number: 0x40)

  /// `_IOW('T', number, int)` for direction 1, `_IOR('T', number, int)` for 2, as
  /// `asm-generic/ioctl.h` defines them: direction, size, type, number.
  private static func encode(direction: UInt, number: UInt) -> UInt {
    direction << 30 | UInt(MemoryLayout<CInt>.size) << 16 | UInt(UInt8(ascii: "T")) << 8 | number
  }
}
