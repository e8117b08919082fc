import Glibc
public import Posix
public import SystemPackage

/// A pseudo-terminal, seen from the device's side: it reads the bytes that a program writes to the
/// node, and the program reads the bytes written here.
///
/// ## Principles of operation
///
/// - The node starts in raw mode at 115200 8N1: a program that does not configure it gets unchanged
///   bytes and no echo.
/// - This side keeps the node open too. Otherwise the kernel would report a hang-up whenever there
///   is no client, and nothing could be written between two clients.
/// - Therefore the terminal is never closed completely, and the settings of a killed client would
///   remain. ``restoreIfUnused()`` resets them.
/// - Nothing is flushed: unread bytes are kept for the next client, as far as the kernel's buffer
///   allows (4 KiB to 64 KiB in each direction).
///
/// See pty(7) and ioctl_tty(2).
public final class PseudoTerminal {
  /// The node that clients open: `/dev/pts/N`.
  public let path: FilePath

  private var master: OwnedDescriptor?
  private var hold: OwnedDescriptor?
  private let initialAttributes: termios

  /// Creates a pseudo-terminal.
  ///
  /// The corresponding C functions are `posix_openpt`, `grantpt`, `unlockpt` and `ptsname`.
  ///
  /// - Throws: the errors of open(2) for `/dev/ptmx` and for the node (`ENOENT` without a devpts,
  ///   `EMFILE`, `ENOSPC` if there are too many), of ioctl(2) and of tcsetattr(3).
  public init() throws(Errno) {
    let master = try OwnedDescriptor.openMaster()
    path = try master.borrowed.nodeOfMaster()
    let hold = try Self.openHold(path)
    initialAttributes = try Self.makeRaw(hold.borrowed)
    self.master = consume master
    self.hold = consume hold
  }

  /// The device's side, for watching only: read and write with the methods below.
  public var descriptor: FileDescriptor {
    guard let descriptor = master?.borrowed else {
      preconditionFailure("a pseudo-terminal was used after it was hung up")
    }
    return descriptor
  }

  private var heldNode: FileDescriptor {
    guard let descriptor = hold?.borrowed else {
      preconditionFailure("a pseudo-terminal was used after it was hung up")
    }
    return descriptor
  }

  // MARK: Bytes

  /// Reads bytes that clients have written. The corresponding C function is `read`.
  ///
  /// - Parameter buffer: the destination, which must not be empty. The kernel fills at most 4
  ///   KiB at once.
  /// - Throws: the errors of read(2).
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> ReadOutcome {
    try descriptor.readAvailable(into: buffer)
  }

  /// Writes bytes for clients to read. The corresponding C function is `write`.
  ///
  /// - Parameter bytes: the bytes to write, at least one.
  /// - Throws: the errors of write(2).
  public func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> WriteOutcome {
    try descriptor.writeAvailable(bytes)
  }

  /// Whether there are written bytes that no client has read.
  public var hasUnreadBytes: Bool {
    // poll(2) makes the kernel move bytes that it holds between the two sides and does not
    // count yet. A client may read the bytes that poll(2) saw before they are counted, with
    // more bytes after them.
    if Self.poll(heldNode, for: POLLIN) & Int16(POLLIN) != 0 { return true }
    var count: CInt = 0
    return ioctl(heldNode.rawValue, UInt(FIONREAD), &count) == 0 && count > 0
  }

  // MARK: Clients

  /// Resets the terminal to its initial state, unless a client has it open.
  ///
  /// Call this when a client has closed the node. It sets raw mode, resumes stopped output, and
  /// cancels `TIOCEXCL`. That belongs to the terminal and remains if its client is killed: every
  /// later client except root's would fail with `EBUSY`.
  ///
  /// The kernel only reports whether a client has the terminal open by the hang-up after the last
  /// close. So this side closes the node for a few microseconds to check. Meanwhile another client
  /// can open an exclusive terminal.
  ///
  /// - Returns: false if a client has the terminal open. Nothing is changed then.
  /// - Throws: the errors of tcsetattr(3), and those of open(2) if the node cannot be opened again,
  ///   which makes the terminal unusable.
  public func restoreIfUnused() throws(Errno) -> Bool {
    let wasExclusive = isExclusive
    // Cancelled first, because otherwise the node could not be opened again below.
    if wasExclusive { setExclusive(false) }
    hold = nil
    let isUnused = Self.poll(descriptor, for: POLLIN) & Int16(POLLHUP) != 0
    hold = try Self.openHold(path)
    if isUnused {
      var attributes = initialAttributes
      try systemCall { tcsetattr(heldNode.rawValue, TCSANOW, &attributes) }
      _ = tcflow(heldNode.rawValue, TCOON)
    } else if wasExclusive {
      setExclusive(true)
    }
    return isUnused
  }

  /// Whether a client has set `TIOCEXCL`, which keeps other programs from opening the terminal.
  public var isExclusive: Bool {
    var isExclusive: CInt = 0
    let result = ioctl(heldNode.rawValue, TerminalRequest.isExclusive, &isExclusive)
    return result == 0 && isExclusive != 0
  }

  private func setExclusive(_ isExclusive: Bool) {
    let request = UInt(isExclusive ? TIOCEXCL : TIOCNXCL)
    // This cannot fail for an open terminal.
    _ = ioctl(heldNode.rawValue, request, 0 as CInt)
  }

  /// Ends the terminal like a serial port that is unplugged: clients get the end of the file or
  /// `EIO`, and the node disappears.
  ///
  /// Unread bytes are lost. Further calls do nothing. Call no other method afterwards.
  public func hangUp() {
    hold = nil
    master = nil
  }

  // MARK: System calls

  /// Opens the node to keep it open. It is opened read-only, so that closing it is not mistaken for
  /// a client's close (see ``NodeWatch``).
  private static func openHold(_ path: FilePath) throws(Errno) -> OwnedDescriptor {
    try OwnedDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
  }

  /// Sets raw mode and 115200 8N1, and returns the resulting attributes.
  private static func makeRaw(_ descriptor: FileDescriptor) throws(Errno) -> termios {
    var attributes = termios()
    try systemCall { tcgetattr(descriptor.rawValue, &attributes) }
    cfmakeraw(&attributes)
    attributes.c_cflag &= ~tcflag_t(CSTOPB)
    attributes.c_cflag |= tcflag_t(CREAD | CLOCAL)
    try systemCall { cfsetspeed(&attributes, speed_t(B115200)) }
    try systemCall { tcsetattr(descriptor.rawValue, TCSANOW, &attributes) }
    try systemCall { tcgetattr(descriptor.rawValue, &attributes) }
    return attributes
  }

  /// The readiness of a descriptor at this moment; empty if it cannot be determined.
  private static func poll(_ descriptor: FileDescriptor, for events: CInt) -> Int16 {
    var entry = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
    return Glibc.poll(&entry, 1, 0) > 0 ? entry.revents : 0
  }
}

@available(*, unavailable)
extension PseudoTerminal: Sendable {}
