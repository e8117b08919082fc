import EventLoop
import Posix
import SystemPackage
import Time

/// The end of a line with a simulated device.
///
/// A device only waits for a time, so this end has no events of its own; arming returns its
/// readiness. While its output is full, the device stops.
final class DeviceEnd: WireEnd {
  private var device: any SimulatedDevice
  private var output = DeviceOutput()

  init(_ device: any SimulatedDevice) { self.device = device }

  /// The number of bytes of the device that the line has not transmitted.
  var bufferedByteCount: Int { output.bytes.count }

  func start(at now: MonotonicTime, for line: DuplexLine) {
    device.start(at: now, output: &output)
  }

  func advance(to now: MonotonicTime) {
    if !output.isFull { device.advance(to: now, output: &output) }
  }

  var nextDeadline: MonotonicTime? { output.isFull ? nil : device.nextDeadline }

  var isReadable: Bool { !output.isEmpty }

  func read(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicTime) -> Int {
    output.read(into: buffer)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) -> Int {
    guard !output.isFull else { return 0 }
    let count = device.receive(Span(_unsafeBytes: bytes), at: now, output: &output)
    precondition(
      (1...bytes.count).contains(count),
      "a device must accept at least one byte while its output is not full")
    return count
  }

  func arm(for interest: Interest) -> Bool {
    interest.contains(.reading) && !output.isEmpty || interest.contains(.writing) && !output.isFull
  }

  /// True: a device has always read everything.
  func armForDrain() -> Bool { true }

  func hangUp() {}
}
