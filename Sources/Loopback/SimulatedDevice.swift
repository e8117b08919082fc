public import Posix

/// A device to talk to that is made of nothing but state and time.
///
/// It is told what time it is and what has arrived, and appends what it says to an output. It waits
/// for nothing and calls nothing: the same times and bytes always bring the same output.
public protocol SimulatedDevice {
  /// Switches the device on. It comes first, and once.
  mutating func start(at now: MonotonicTime, output: inout DeviceOutput)

  /// Hands over bytes that have arrived. What was due by now has been done before.
  ///
  /// - Parameters:
  ///   - bytes: in order; not empty.
  ///   - now: the present, never before a time that was told already.
  ///   - output: what to append the answer to.
  /// - Returns: how many of the bytes were taken: all of them, or fewer because the output became
  ///   full, but at least one if it was not full at first. The rest comes again.
  mutating func receive(
    _ bytes: Span<UInt8>, at now: MonotonicTime, output: inout DeviceOutput
  ) -> Int

  /// Does what is due by now. While the output is full the device must say no more.
  mutating func advance(to now: MonotonicTime, output: inout DeviceOutput)

  /// When there will be something to do though nothing arrives; nil if never.
  var nextDeadline: MonotonicTime? { get }
}

/// What a device has said and the line has not taken.
///
/// The bound is soft: a device finishes what it has begun to say, and then says nothing and takes
/// nothing until the output is no longer full. So nothing is lost and memory stays bounded.
public struct DeviceOutput: Sendable {
  /// The bytes, the earliest first.
  public private(set) var bytes: [UInt8] = []
  /// How many bytes make it full.
  public let capacity: Int

  /// Creates an empty output.
  ///
  /// - Parameter capacity: how many bytes make it full, at least 1.
  public init(capacity: Int = 65_536) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  /// Whether nothing waits for the line.
  public var isEmpty: Bool { bytes.isEmpty }
  /// Whether the device has to wait.
  public var isFull: Bool { bytes.count >= capacity }
  /// How many bytes are missing until it is full.
  public var room: Int { max(0, capacity - bytes.count) }

  /// Says a byte.
  public mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Says bytes.
  public mutating func append(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { self.bytes.append(contentsOf: $0) }
  }

  /// Says a text, in UTF-8.
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Moves the first bytes away to the line.
  ///
  /// - Returns: how many: all that there are, or as many as the buffer holds.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(bytes.count, buffer.count)
    bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[..<count])) }
    if count == bytes.count {
      bytes.removeAll(keepingCapacity: true)
    } else {
      bytes.removeFirst(count)
    }
    return count
  }
}
