/// The driver's counters since its device appeared, for all programs that had the port open.
///
/// A driver leaves at 0 what it does not count. The counters wrap at 32 bits: compare
/// them with ``changes(since:)``.
public struct LineCounters: Hashable, Sendable {
  /// Bytes received.
  public var received: UInt32 = 0
  /// Bytes sent.
  public var sent: UInt32 = 0
  /// Characters without a stop bit: the other end has another speed or framing.
  public var framingErrors: UInt32 = 0
  /// Characters whose parity bit was wrong.
  public var parityErrors: UInt32 = 0
  /// Characters that the chip lost because it was not read in time.
  public var overruns: UInt32 = 0
  /// Characters that the kernel lost because its buffer was full.
  public var bufferOverruns: UInt32 = 0
  /// Break conditions received.
  public var breaks: UInt32 = 0
  /// Changes of CTS.
  public var ctsChanges: UInt32 = 0
  /// Changes of DSR.
  public var dsrChanges: UInt32 = 0
  /// Changes of DCD.
  public var dcdChanges: UInt32 = 0
  /// Times that RI was deasserted: a ring counts once.
  public var riChanges: UInt32 = 0

  /// Creates counters that are 0.
  public init() {}

  /// The difference to an earlier reading.
  public func changes(since earlier: LineCounters) -> LineCounters {
    var result = LineCounters()
    for counter in Self.all {
      result[keyPath: counter] = self[keyPath: counter] &- earlier[keyPath: counter]
    }
    return result
  }

  /// All counters. The order is that of messages between two programs, which must not change.
  package static var all: [WritableKeyPath<LineCounters, UInt32>] {
    [
      \.received, \.sent, \.framingErrors, \.parityErrors, \.overruns, \.bufferOverruns, \.breaks,
      \.ctsChanges, \.dsrChanges, \.dcdChanges, \.riChanges,
    ]
  }
}
