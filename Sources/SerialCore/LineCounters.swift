/// What a driver has counted since its device appeared, whoever had the port open.
///
/// Drivers differ in what they count; one that does not count something leaves it at 0. Counts wrap
/// at 32 bits: compare them by ``changes(since:)``.
public struct LineCounters: Hashable, Sendable {
  /// Bytes received.
  public var received: UInt32 = 0
  /// Bytes sent.
  public var sent: UInt32 = 0
  /// Characters without a stop bit: the far end's speed or framing is another.
  public var framingErrors: UInt32 = 0
  /// Characters whose parity bit was wrong.
  public var parityErrors: UInt32 = 0
  /// Characters that the chip lost: nobody emptied it in time.
  public var overruns: UInt32 = 0
  /// Characters that the kernel lost: its buffer was full.
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

  /// Creates counters that stand at 0.
  public init() {}

  /// What was counted since an earlier reading.
  public func changes(since earlier: LineCounters) -> LineCounters {
    var result = LineCounters()
    for counter in Self.all {
      result[keyPath: counter] = self[keyPath: counter] &- earlier[keyPath: counter]
    }
    return result
  }

  private static var all: [WritableKeyPath<LineCounters, UInt32>] {
    [
      \.received, \.sent, \.framingErrors, \.parityErrors, \.overruns, \.bufferOverruns, \.breaks,
      \.ctsChanges, \.dsrChanges, \.dcdChanges, \.riChanges,
    ]
  }
}
