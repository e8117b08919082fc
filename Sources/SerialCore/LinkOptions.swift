public import SystemPackage

/// Options for opening a port, besides its line settings.
public struct LinkOptions: Hashable, Sendable {
  /// Whether to lock the port, and to respect the lock of another program.
  public var isExclusive = true
  /// Output lines to assert as soon as the port is open. The kernel asserts both by itself.
  public var asserting: ModemLines = []
  /// Output lines to deassert as soon as the port is open.
  public var deasserting: ModemLines = []
  /// Whether DTR and RTS are deasserted when the last user closes the port (HUPCL); nil leaves the
  /// flag unchanged. The flag is not restored when the port is closed.
  public var hangsUpOnClose: Bool?
  /// Whether the port keeps the baud rate that it has when it is opened, whatever the settings say.
  public var keepsBaudRate = false
  /// Whether observers learn of breaks and of bytes with errors.
  public var marksErrors = false
  /// Whether observers learn of breaks, and with them of bytes with errors, if the port can receive
  /// breaks. A pseudo-terminal cannot, and with marks its buffer holds a third.
  package var marksBreaks = false
  /// How RTS drives an RS-485 transmitter; nil leaves the mode unchanged.
  public var rs485: RS485Settings?
  /// Whether the driver delivers received bytes at once; false leaves the mode unchanged.
  public var hasLowLatency = false
  /// Whether to create a UUCP lock file. ``isExclusive`` respects one in any case.
  public var makesLockFile = false
  /// The directory of the UUCP lock files.
  public var lockFolder: FilePath = "/var/lock"

  /// Which nodes may be opened.
  package var admission = NodeAdmission.any

  /// Creates options that lock the port and change nothing else.
  public init() {}
}
