import Glibc
public import Posix
public import SystemPackage

/// A pseudo-terminal, seen from the side of the device: what a program writes to the node is read
/// here, and what is written here the program reads.
///
/// ## Principles of operation
///
/// - The node starts raw at 115200 8N1: who opens it without setting it up gets the bytes as they
///   are, and no echo.
/// - The node is held open from this side too. Otherwise the kernel would report a hang-up whenever
///   no client is there, and between two clients nothing could be written.
/// - So the terminal never closes for good, and what a client set and did not take back, because it
///   was killed, would stay: ``restoreIfUnused()`` is for that.
/// - Nothing is flushed: bytes that nobody read wait for the next client, as far as the kernel's
///   buffer goes (some 4 KiB to 64 KiB each way).
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
  /// - Throws: what open(2) says of `/dev/ptmx` and of the node (`ENOENT` without a devpts,
  ///   `EMFILE`, `ENOSPC` when there are too many), and what ioctl(2) and tcsetattr(3) say.
  public init() throws(Errno) {
    // By hand, because Swift's Glibc module has none of the four; the C library does the same.
    let master = try OwnedDescriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
    let descriptor = master.borrowed.rawValue
    var isLocked: CInt = 0
    try systemCall { ioctl(descriptor, TerminalRequest.setLock, &isLocked) }
    var number: CUnsignedInt = 0
    try systemCall { ioctl(descriptor, TerminalRequest.number, &number) }
    path = FilePath("/dev/pts/\(number)")
    let hold = try Self.openHold(path)
    initialAttributes = try Self.makeRaw(hold.borrowed)
    self.master = consume master
    self.hold = consume hold
  }

  /// The device's side, lent for watching: read and write it with the methods below.
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

  /// Reads what clients have written. The corresponding C function is `read`.
  ///
  /// - Parameter buffer: where to; must not be empty. The kernel fills some 4 KiB of it at once.
  /// - Throws: what read(2) says.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> ReadOutcome {
    try descriptor.readAvailable(into: buffer)
  }

  /// Writes what clients are to read. The corresponding C function is `write`.
  ///
  /// - Parameter bytes: what to write; must not be empty.
  /// - Throws: what write(2) says.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> WriteOutcome {
    try descriptor.writeAvailable(bytes)
  }

  /// Whether there are bytes that were written here and no client has read.
  public var hasUnreadBytes: Bool {
    // poll(2) makes the kernel carry on what it holds between the two sides, uncounted until then.
    // What it saw may be read before it is counted, with more behind it.
    if Self.poll(heldNode, for: POLLIN) & Int16(POLLIN) != 0 { return true }
    var count: CInt = 0
    return ioctl(heldNode.rawValue, UInt(FIONREAD), &count) == 0 && count > 0
  }

  // MARK: Clients

  /// Makes the terminal as it was at first, unless a client has it open.
  ///
  /// To be called when a client has closed it. The attributes become raw again, stopped output
  /// goes on, and `TIOCEXCL`, which belongs to the terminal and outlives the client that set it
  /// and was killed, is taken back: every later client but root's would be refused with `EBUSY`.
  ///
  /// The kernel tells how many have a terminal open by nothing but the hang-up after the last one
  /// has closed it. So the hold of this side is given up for a look, some microseconds long; in
  /// these an exclusive terminal would let a client in.
  ///
  /// - Returns: false, and nothing was changed, if a client has the terminal open.
  /// - Throws: what open(2) says when the node cannot be held again: then the terminal is of no
  ///   more use; and what tcsetattr(3) says.
  public func restoreIfUnused() throws(Errno) -> Bool {
    let wasExclusive = isExclusive
    // Before the look: afterwards we could not open it ourselves.
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

  /// Whether a client has asked, by `TIOCEXCL`, that nobody else can open the terminal.
  public var isExclusive: Bool {
    var isExclusive: CInt = 0
    let result = ioctl(heldNode.rawValue, TerminalRequest.isExclusive, &isExclusive)
    return result == 0 && isExclusive != 0
  }

  private func setExclusive(_ isExclusive: Bool) {
    let request = UInt(isExclusive ? TIOCEXCL : TIOCNXCL)
    // It cannot fail for a terminal that is open.
    _ = ioctl(heldNode.rawValue, request, 0 as CInt)
  }

  /// Ends the terminal, as unplugging ends a serial port: clients read what the kernel says of a
  /// device that is gone (the end of the file or `EIO`), and the node disappears.
  ///
  /// What no client has read by then is lost. Calling it again does nothing; everything else must
  /// not be used any more.
  public func hangUp() {
    hold = nil
    master = nil
  }

  // MARK: System calls

  /// Opens the node for holding it: read-only, so that closing it again is not mistaken for a
  /// client's closing (see ``NodeWatch``).
  private static func openHold(_ path: FilePath) throws(Errno) -> OwnedDescriptor {
    try OwnedDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
  }

  /// Sets raw mode, 115200 8N1, and returns all attributes as they are then.
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

  /// What a descriptor is ready for at this moment; nothing if that cannot be told.
  private static func poll(_ descriptor: FileDescriptor, for events: CInt) -> Int16 {
    var entry = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
    return Glibc.poll(&entry, 1, 0) > 0 ? entry.revents : 0
  }
}

@available(*, unavailable)
extension PseudoTerminal: Sendable {}

/// Requests of ioctl_tty(2) whose C macros compute a number, which Swift does not import.
enum TerminalRequest {
  /// `TIOCSPTLCK`: whether clients are refused, as an int.
  static let setLock = encode(direction: 1, number: 0x31)
  /// `TIOCGPTN`: the number of the node, as an unsigned int.
  static let number = encode(direction: 2, number: 0x30)
  /// `TIOCGEXCL`: whether `TIOCEXCL` is in force, as an int.
  static let isExclusive = encode(direction: 2, number: 0x40)

  /// `_IOW('T', number, int)` for direction 1, `_IOR('T', number, int)` for 2, as
  /// `asm-generic/ioctl.h` has them: direction, size, type, number.
  private static func encode(direction: UInt, number: UInt) -> UInt {
    direction << 30 | UInt(MemoryLayout<CInt>.size) << 16 | UInt(UInt8(ascii: "T")) << 8 | number
  }
}
