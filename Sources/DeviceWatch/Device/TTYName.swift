/// Properties that follow from the name of a device of the class `tty`.
enum TTYName {
  /// Whether it may be a serial port.
  ///
  /// The class contains more than ports: virtual consoles (`tty0` … `tty63`, `vcs…`), names of the
  /// current terminal (`tty`, `console`), and pseudo-terminals (`ptmx`, formerly `ptyp0`, `ttyp0` …
  /// `ttyef`; see pty(7)).
  static func isPort(_ name: String) -> Bool {
    switch name {
    case "tty", "console", "ptmx": return false
    case _ where name.hasPrefix("vcs"): return false
    case _ where name.hasPrefix("tty"): break
    case _ where name.hasPrefix("pty"): return !isOldPseudoTerminal(name)
    default: return true
    }
    let isConsole = name.utf8.dropFirst(3).allSatisfy { (0x30...0x39).contains($0) }
    return !isConsole && !isOldPseudoTerminal(name)
  }

  /// Whether a virtual port only exists because it was created, and is connected to something.
  ///
  /// `rfcomm0` is connected to a Bluetooth device, `ttyGS0` to the computer that this one is
  /// plugged into as a gadget, `tnt0` to the other half of a null modem. Others exist on every
  /// computer with the driver: `ttyprintk` writes to the kernel's log, `ttynull` nowhere, `hvc0` to
  /// the host of a virtual machine.
  static func isMadeOnPurpose(_ name: String) -> Bool {
    ["rfcomm", "ttyGS", "tnt"].contains { name.hasPrefix($0) }
  }

  /// The letters `p…z` and `a…e`, then a hexadecimal digit, after `tty` or `pty`.
  private static func isOldPseudoTerminal(_ name: String) -> Bool {
    let rest = name.utf8.dropFirst(3)
    guard rest.count == 2, let series = rest.first, let unit = rest.last else { return false }
    return "pqrstuvwxyzabcde".utf8.contains(series) && "0123456789abcdef".utf8.contains(unit)
  }
}
