/// Recognises a telnet server by its first bytes, where plain bytes are expected. A value.
///
/// A server such as ser2net begins to negotiate as soon as a client connects: IAC, a verb, an
/// option. The bytes may be split at any position.
public struct TelnetDetector {
  /// Whether the stream is telnet; nil until that is known.
  public private(set) var verdict: Bool?
  private var count = 0

  /// The largest option in use; see the registry of telnet options. A random byte is larger four
  /// times out of five.
  private static let largestOption: UInt8 = 49

  /// Creates a detector of a stream that has just begun.
  public init() {}

  /// Examines further bytes. Bytes after the verdict do not matter.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes where verdict == nil { add(byte) }
  }

  private mutating func add(_ byte: UInt8) {
    let fits =
      switch count {
      case 0: byte == TelnetCommand.interpretAsCommand
      case 1: (TelnetCommand.will...TelnetCommand.dont).contains(byte)
      default: byte <= Self.largestOption
      }
    count += 1
    if !fits { verdict = false } else if count == 3 { verdict = true }
  }
}
