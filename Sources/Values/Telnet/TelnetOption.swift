/// An option of a telnet connection: a feature that one side offers and the other accepts.
///
/// The numbers are IANA's (https://www.iana.org/assignments/telnet-options).
public struct TelnetOption: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt8

  /// Creates an option from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes are sent unchanged: RFC 856.
  public static let binary = TelnetOption(rawValue: 0)
  /// The far end echoes typed text: RFC 857.
  public static let echo = TelnetOption(rawValue: 1)
  /// No "go ahead" after each line: RFC 858.
  public static let suppressGoAhead = TelnetOption(rawValue: 3)
  /// The size of the window: RFC 1073.
  public static let windowSize = TelnetOption(rawValue: 31)
  /// The settings and lines of a serial port: RFC 2217.
  public static let comPort = TelnetOption(rawValue: 44)
}

/// The bytes after IAC: RFC 854.
public enum TelnetCommand {
  /// Begins a command. In data, the byte is doubled.
  public static let interpretAsCommand: UInt8 = 255
  static let dont: UInt8 = 254
  static let `do`: UInt8 = 253
  static let wont: UInt8 = 252
  static let will: UInt8 = 251
  static let subnegotiation: UInt8 = 250
  static let endOfSubnegotiation: UInt8 = 240
  /// A break.
  public static let `break`: UInt8 = 243
}
