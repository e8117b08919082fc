public import Time

/// A device that sends back everything that it receives, like a loopback plug.
public struct EchoDevice: SimulatedDevice {
  /// Creates an echo device.
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
