/// The protocol of a stream of bytes that a serial port is used through.
public enum StreamProtocol: String, CaseIterable, Hashable, Sendable {
  /// A plain byte stream.
  case raw
  /// Telnet without line settings.
  case telnet
  /// Telnet with line settings.
  case rfc2217
}

/// Recognises a telnet server by its first bytes, where plain bytes are expected. A value.
///
/// A server such as ser2net begins to negotiate as soon as a client connects: IAC, a verb, an
/// option. The bytes may be split at any position.
public struct TelnetDetector {
  /// What the server speaks; nil until that is known. Telnet becomes RFC 2217 when the server's
  /// first commands name that option.
  public private(set) var verdict: StreamProtocol?
  /// The number of bytes in commands.
  private var count = 0
  /// Whether the server's first commands are over.
  public private(set) var isOver = false

  /// The largest option in use; see the registry of telnet options. A random byte is larger four
  /// times out of five.
  private static let largestOption: UInt8 = 49

  /// Creates a detector of a stream that has just begun.
  public init() {}

  /// Examines further bytes. Bytes after the first commands do not matter.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes where !isOver { add(byte) }
  }

  private mutating func add(_ byte: UInt8) {
    let fits =
      switch count % 3 {
      case 0: byte == TelnetCommand.interpretAsCommand
      case 1: (TelnetCommand.will...TelnetCommand.dont).contains(byte)
      default: byte <= Self.largestOption
      }
    guard fits else {
      isOver = true
      verdict = verdict ?? .raw
      return
    }
    count += 1
    if count == 3 { verdict = .telnet }
    if count % 3 == 0, byte == TelnetOption.comPort.rawValue {
      (verdict, isOver) = (.rfc2217, true)
    }
    if count == Self.longestBeginning { isOver = true }
  }

  /// The number of bytes that are examined at most.
  private static let longestBeginning = 96
}
