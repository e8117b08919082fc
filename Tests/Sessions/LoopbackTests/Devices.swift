import Time

@testable import Loopback

/// A device that keeps the received bytes for its owner.
final class Recorder {
  private(set) var received: [UInt8] = []

  var device: any SimulatedDevice { Device(recorder: self) }

  private struct Device: SimulatedDevice {
    let recorder: Recorder
    func start(at now: MonotonicTime, output: inout DeviceOutput) {}
    func receive(
      _ bytes: Span<UInt8>, at now: MonotonicTime, output: inout DeviceOutput
    ) -> Int {
      for index in bytes.indices { recorder.received.append(bytes[index]) }
      return bytes.count
    }
    func advance(to now: MonotonicTime, output: inout DeviceOutput) {}
    var nextDeadline: MonotonicTime? { nil }
  }
}

/// A device that sends numbers of four bytes without a pause.
struct Chatterbox: SimulatedDevice {
  private let count: UInt32
  private let saysAllAtOnce: Bool
  private var next: UInt32 = 0
  private var now = MonotonicTime(nanoseconds: 0)

  /// - Parameters:
  ///   - count: the number of numbers, counted from 0.
  ///   - saysAllAtOnce: whether it sends all of them when it is powered on, even if the
  ///     output is full.
  init(count: UInt32, atOnce saysAllAtOnce: Bool = false) {
    self.count = count
    self.saysAllAtOnce = saysAllAtOnce
  }

  mutating func start(at now: MonotonicTime, output: inout DeviceOutput) {
    self.now = now
    guard saysAllAtOnce else { return }
    output.append(Self.words(0..<count).span)
    next = count
  }

  func receive(_ bytes: Span<UInt8>, at now: MonotonicTime, output: inout DeviceOutput) -> Int {
    bytes.count
  }

  mutating func advance(to now: MonotonicTime, output: inout DeviceOutput) {
    self.now = now
    while next < count && !output.isFull {
      output.append(Self.words(next..<next + 1).span)
      next += 1
    }
  }

  var nextDeadline: MonotonicTime? { next < count ? now : nil }

  static func words(_ numbers: Range<UInt32>) -> [UInt8] {
    numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
  }
}
