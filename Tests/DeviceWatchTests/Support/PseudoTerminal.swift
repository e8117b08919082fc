import Glibc
import Posix
import SystemPackage
import Testing

/// A pseudo-terminal, there as long as it is kept. See pty(7).
final class PseudoTerminal {
  private let controlling: OwnedDescriptor
  /// The other end's node, for example /dev/pts/7.
  let node: FilePath

  init() throws {
    controlling = try OwnedDescriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    let descriptor = controlling.borrowed.rawValue
    var number: CUnsignedInt = 0
    try systemCall { ioctl(descriptor, Self.getNumber, &number) }
    node = FilePath("/dev/pts/\(number)")
  }

  /// TIOCGPTN of ioctl_tty(2), which ptsname(3) asks too: a macro that Swift does not import.
  private static let getNumber: UInt = 0x8004_5430

  /// Opens pseudo-terminals until one has a node that was free.
  ///
  /// The kernel gives out the lowest number that is free, so that the first will do, unless somebody
  /// else was faster.
  static func reopening(_ node: FilePath) throws -> PseudoTerminal {
    var others: [PseudoTerminal] = []
    while others.count < 100 {
      let terminal = try PseudoTerminal()
      if terminal.node == node { return terminal }
      others.append(terminal)
    }
    throw Errno.resourceBusy
  }
}
