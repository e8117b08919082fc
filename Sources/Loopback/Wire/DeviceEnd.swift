import EventLoop
import Posix
import SystemPackage

/// The end of a line at which a simulated device is.
///
/// A device waits for nothing but time, so it tells no events: what it is ready for shows when it is
/// armed. While its output is full it stands still.
final class DeviceEnd: WireEnd {
  private var device: any SimulatedDevice
  private var output = DeviceOutput()

  init(_ device: any SimulatedDevice) { self.device = device }

  /// How many bytes the device has said that the line has not taken.
  var bufferedByteCount: Int { output.bytes.count }

  func start(at now: MonotonicTime, onEvent: @escaping (WireEndEvent) -> Void) {
    device.start(at: now, output: &output)
  }

  func advance(to now: MonotonicTime) {
    if !output.isFull { device.advance(to: now, output: &output) }
  }

  var nextDeadline: MonotonicTime? { output.isFull ? nil : device.nextDeadline }

  var isReadable: Bool { !output.isEmpty }

  func read(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicTime) -> Int {
    output.take(into: buffer)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) -> Int {
    guard !output.isFull else { return 0 }
    let count = device.receive(Span(_unsafeBytes: bytes), at: now, output: &output)
    precondition(
      (1...bytes.count).contains(count), "a device must take what arrives while it has room")
    return count
  }

  func arm(for interest: Interest) -> Bool {
    interest.contains(.reading) && !output.isEmpty || interest.contains(.writing) && !output.isFull
  }

  /// A device has read what it was given.
  func armForSilence() -> Bool { true }

  func hangUp() {}
}
