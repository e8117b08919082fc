import Glibc
import Posix
import SystemPackage
import Testing

/// A pseudo-terminal that exists as long as this object. See pty(7).
final class PseudoTerminal {
  private let controlling: OwnedDescriptor
  /// The node of the other end, for example /dev/pts/7.
  let node: FilePath

  init() throws {
    controlling = try OwnedDescriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    let descriptor = controlling.borrowed.rawValue
    var number: CUnsignedInt = 0
    try systemCall { ioctl(descriptor, Self.getNumber, &number) }
    node = FilePath("/dev/pts/\(number)")
  }

  /// TIOCGPTN of ioctl_tty(2), which ptsname(3) also uses. It is a macro that Swift
  /// does not import.
  private static let getNumber: UInt = 0x8004_5430

  /// Keeps other tests, even in other processes, from using many numbers, as long as
  /// the result exists.
  ///
  /// The corresponding C function is `flock`.
  static func lockNumbers() throws -> OwnedDescriptor {
    let folder = try OwnedDescriptor.open("/dev/pts", O_RDONLY | O_DIRECTORY)
    let descriptor = folder.borrowed.rawValue
    try systemCall { flock(descriptor, LOCK_EX) }
    return folder
  }

  /// Opens a pseudo-terminal with many free numbers below its own. The kernel assigns the lowest
  /// free number, so another program that opens some does not get this number after it was closed.
  /// The numbers must be locked.
  static func aboveFreeNumbers() throws -> PseudoTerminal {
    var opened: [PseudoTerminal] = []
    for _ in 0..<200 { opened.append(try PseudoTerminal()) }
    return opened[199]
  }

  /// Opens pseudo-terminals until one gets the given free node.
  static func reopening(_ node: FilePath) throws -> PseudoTerminal {
    var others: [PseudoTerminal] = []
    while others.count < 400 {
      let terminal = try PseudoTerminal()
      if terminal.node == node { return terminal }
      others.append(terminal)
    }
    throw Errno.resourceBusy
  }
}
