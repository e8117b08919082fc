public import SystemPackage

/// How a loopback's line treats the bytes; at first exactly and as fast as it can.
public struct LoopbackOptions: Hashable, Sendable {
  /// The rate of each direction in bits per second, at 10 bits a byte (8N1); nil for no pacing.
  /// Not 0.
  public var baudRate: UInt32?

  /// How probable it is that a byte vanishes, 0 to 1. It occupies the line all the same.
  public var dropProbability = 0.0

  /// How probable it is that one bit of a byte is flipped, 0 to 1.
  public var corruptProbability = 0.0

  /// Where the random numbers of the faults begin: with the same seed, the same bytes of a
  /// direction meet the same faults, in whatever pieces they come.
  public var seed: UInt64 = 1

  /// Hangs up as an unplugged adapter does when so many bytes have arrived, both directions taken
  /// together; nil for never. At least 1.
  ///
  /// What vanished on the line did not arrive. Of a write that crosses the limit the first part
  /// arrives. A client that still has bytes to read is given up to one second for it.
  public var hangUpAfter: Int?

  /// Creates options that change nothing.
  public init() {}
}

/// Why a loopback has hung up of its own accord.
public enum LoopbackHangUp: Hashable, Sendable {
  /// As many bytes have arrived as ``LoopbackOptions/hangUpAfter`` says.
  case limitReached
  /// A system call failed in a way that cannot be mended.
  case failed(Errno)
}
