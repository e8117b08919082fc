import Posix
import SystemPackage

extension LineCapabilities {
  /// Asks a terminal what it can do.
  init(of descriptor: FileDescriptor) {
    self = []
    if (try? ModemLines(of: descriptor)) != nil { insert(.modemLines) }
    if (try? LineCounters(of: descriptor)) != nil { insert(.counters) }
    // The kernel accepts a break for every terminal, and does nothing where the driver has none
    // (tty_ioctl, TIOCSBRK). The drivers without one are those of pseudo-terminals.
    if !descriptor.isPseudoTerminal { insert(.breaks) }
  }
}

extension FileDescriptor {
  /// Whether it is the port's side of a pseudo-terminal: by its number, see "136-143 char Unix98
  /// PTY slaves" and "3 char" in Documentation/admin-guide/devices.txt of the kernel.
  fileprivate var isPseudoTerminal: Bool {
    guard let number = try? stat().specialDeviceID.majorNumber else { return false }
    return (136...143).contains(number) || number == 3
  }
}
