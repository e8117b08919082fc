import Posix
import SystemPackage

/// Moves bytes from one end of a line to the other, over a wire and through a bounded queue.
///
/// The queue holds bytes that have crossed the wire and that the other end has not accepted yet. If it
/// is full, nothing is read, which blocks the writer: only the wire's faults lose bytes.
struct Pump: ~Copyable {
  /// The capacity of the queue, and the maximum of one read, in bytes.
  static let capacity = 65_536

  private var queue = ByteQueue(capacity: Pump.capacity)
  private var wire: Wire
  private let scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Pump.capacity, alignment: 1)

  init(_ wire: Wire) { self.wire = wire }

  deinit { scratch.deallocate() }

  /// The number of bytes in the queue.
  var bufferedByteCount: Int { queue.count }
  /// Whether the pump must wait until the source is readable.
  var awaitsSource: Bool { queue.room > 0 && wire.nextArrival == nil }
  /// Whether the pump must wait until the sink is writable.
  var awaitsSink: Bool { !queue.isEmpty }
  /// The time at which the next byte has crossed the wire; nil if none is on the wire.
  var nextArrival: MonotonicTime? { queue.room > 0 ? wire.nextArrival : nil }

  /// Moves the bytes that can be moved now, at most the capacity of the queue.
  ///
  /// - Parameters:
  ///   - source: The source of the bytes.
  ///   - sink: Their destination.
  ///   - now: The present time.
  ///   - meter: Counts the bytes that the sink accepted, and limits them.
  /// - Throws: The errors of the ends.
  mutating func move(
    from source: any WireEnd, to sink: any WireEnd, at now: MonotonicTime,
    within meter: inout DeliveryMeter
  ) throws(Errno) {
    try drain(to: sink, at: now, within: &meter)
    try fill(from: source, at: now)
    try drain(to: sink, at: now, within: &meter)
  }

  private mutating func fill(from source: any WireEnd, at now: MonotonicTime) throws(Errno) {
    // Counts the bytes that are read, not those that arrive: otherwise a wire that drops everything
    // would cause an endless loop.
    var room = queue.room
    while room > 0 && source.isReadable {
      wire.begin(at: now)
      let limit = min(room, wire.allowance(at: now))
      guard limit > 0 else { return }
      let space = UnsafeMutableRawBufferPointer(rebasing: scratch[..<limit])
      let count = try source.read(into: space, at: now)
      let arrived = wire.carry(UnsafeMutableRawBufferPointer(rebasing: space[..<count]))
      let isAppended = queue.append(UnsafeRawBufferPointer(rebasing: space[..<arrived]))
      precondition(isAppended, "a read exceeded the room in the queue")
      room -= count
    }
    wire.rest()
  }

  private mutating func drain(
    to sink: any WireEnd, at now: MonotonicTime, within meter: inout DeliveryMeter
  ) throws(Errno) {
    while !queue.isEmpty && !meter.isExhausted {
      let front = queue.front
      let bytes = UnsafeRawBufferPointer(rebasing: front.prefix(meter.remaining))
      let count = try sink.write(bytes, at: now)
      queue.removeFirst(count)
      meter.count(count)
      // A sink that accepted a part is full; another write is useless.
      if count < bytes.count { return }
    }
  }
}
