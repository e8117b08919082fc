public import Posix

/// A device that sends back what it receives: a plug whose wires are bridged.
public struct EchoDevice: SimulatedDevice {
  /// Creates one.
  public init() {}

  public func start(at now: MonotonicTime, output: inout DeviceOutput) {}

  public func receive(
    _ bytes: Span<UInt8>, at now: MonotonicTime, output: inout DeviceOutput
  ) -> Int {
    let count = min(bytes.count, output.room)
    output.append(bytes.extracting(first: count))
    return count
  }

  public func advance(to now: MonotonicTime, output: inout DeviceOutput) {}

  public var nextDeadline: MonotonicTime? { nil }
}
