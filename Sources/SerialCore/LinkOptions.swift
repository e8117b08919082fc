public import SystemPackage

/// How a port is opened, besides its line settings.
public struct LinkOptions: Hashable, Sendable {
  /// Whether to lock the port, and respect another's lock.
  public var isExclusive = true
  /// Output lines to assert as soon as the port is open; the kernel asserts both of itself.
  public var asserting: ModemLines = []
  /// Output lines to deassert as soon as the port is open.
  public var deasserting: ModemLines = []
  /// Whether DTR and RTS are deasserted when the last user closes the port (HUPCL); nil leaves
  /// that as it is found. Holds beyond our own closing, which it is about.
  public var hangsUpOnClose: Bool?
  /// Whether bytes that came with an error, and breaks, are told as such.
  public var marksErrors = false
  /// How RTS drives an RS-485 transmitter; nil leaves that as it is found.
  public var rs485: RS485Settings?
  /// Whether the driver is to hand over at once what it receives; off leaves that as it is found.
  public var hasLowLatency = false
  /// Whether to make a UUCP lock file, and not only to respect one, which ``isExclusive`` does.
  public var makesLockFile = false
  /// Where UUCP lock files are.
  public var lockFolder: FilePath = "/var/lock"

  /// Creates options that change nothing but the line settings.
  public init() {}
}
