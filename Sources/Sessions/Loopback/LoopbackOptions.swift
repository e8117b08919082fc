public import SystemPackage

/// The rate and the faults of a simulated line. By default it has no faults and is as
/// fast as possible.
public struct LoopbackOptions: Hashable, Sendable {
  /// The rate of each direction in bits per second, with 10 bits per byte (8N1); nil for no limit.
  /// It must not be 0.
  public var baudRate: UInt32?

  /// The probability that a byte is lost, 0 to 1. A lost byte still takes its time on the line.
  public var dropProbability = 0.0

  /// The probability that one bit of a byte is flipped, 0 to 1.
  public var corruptProbability = 0.0

  /// The seed of the random faults. With the same seed, the same bytes of a direction have the same
  /// faults, however they are split into writes.
  public var seed: UInt64 = 1

  /// The number of bytes, counted over both directions, after which the line hangs up like an
  /// unplugged adapter; nil for never. At least 1.
  ///
  /// Lost bytes are not counted. If a write crosses the limit, its first part arrives. A client has
  /// up to one second to read the remaining bytes.
  public var hangUpAfter: Int?

  /// Creates the options of a line without faults.
  public init() {}
}

/// Why a loopback hung up on its own.
public enum LoopbackHangUp: Hashable, Sendable {
  /// The limit ``LoopbackOptions/hangUpAfter`` was reached.
  case limitReached
  /// A system call failed.
  case failed(Errno)
}
