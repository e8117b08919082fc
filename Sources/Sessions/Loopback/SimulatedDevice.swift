public import Time

/// A simulated device: a function of its state, the time and the bytes that arrive.
///
/// It receives the time and the arrived bytes, and appends its answers to an output. It never waits
/// or calls back: the same times and bytes always give the same output.
public protocol SimulatedDevice {
  /// Powers the device on. This is called once, before all other methods.
  mutating func start(at now: MonotonicTime, output: inout DeviceOutput)

  /// Receives bytes. ``advance(to:output:)`` was called for the same time before.
  ///
  /// - Parameters:
  ///   - bytes: the bytes in order, at least one.
  ///   - now: the present time, never earlier than in a previous call.
  ///   - output: the output to append to.
  /// - Returns: the number of accepted bytes: all of them, or fewer if the output became full, but
  ///   at least one if it was not full before. The rest is passed again.
  mutating func receive(
    _ bytes: Span<UInt8>, at now: MonotonicTime, output: inout DeviceOutput
  ) -> Int

  /// Performs all actions that are due. While the output is full, the device must not append to it.
  mutating func advance(to now: MonotonicTime, output: inout DeviceOutput)

  /// The time of the next action that needs no input; nil if there is none.
  var nextDeadline: MonotonicTime? { get }
}

/// Output of a device that the line has not transmitted yet.
///
/// The limit is soft. A device can finish an answer, but then appends and accepts nothing until the
/// output is no longer full. This loses no bytes and limits the memory.
public struct DeviceOutput: Sendable {
  /// The bytes, the earliest first.
  public private(set) var bytes: [UInt8] = []
  /// The number of bytes at which it is full.
  public let capacity: Int

  /// Creates an empty output.
  ///
  /// - Parameter capacity: the number of bytes at which it is full, at least 1.
  public init(capacity: Int = 65_536) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  /// Whether it has no bytes.
  public var isEmpty: Bool { bytes.isEmpty }
  /// Whether the device must wait.
  public var isFull: Bool { bytes.count >= capacity }
  /// The number of bytes until it is full.
  public var room: Int { max(0, capacity - bytes.count) }

  /// Appends a byte.
  public mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Appends bytes.
  public mutating func append(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { self.bytes.append(contentsOf: $0) }
  }

  /// Appends a text in UTF-8.
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Moves the first bytes to the line.
  ///
  /// - Returns: the number of moved bytes: all of them, or as many as fit into the buffer.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
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
