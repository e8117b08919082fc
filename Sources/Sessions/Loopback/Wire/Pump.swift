import Posix
import SystemPackage
import Time

/// Moves bytes from one end of a line to the other, over a wire and through a bounded queue.
///
/// The queue holds bytes that have crossed the wire and that the other end has not accepted. If it
/// is full, nothing is read, which blocks the writer: bytes are only lost by the wire's faults.
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
  ///   - source: the source of the bytes.
  ///   - sink: their destination.
  ///   - now: the present time.
  ///   - meter: counts and limits the bytes that the sink accepts.
  /// - Throws: the errors of the ends.
  mutating func move(
    from source: any WireEnd, to sink: any WireEnd, at now: MonotonicTime,
    within meter: inout DeliveryMeter
  ) throws(Errno) {
    try drain(to: sink, at: now, within: &meter)
    try fill(from: source, at: now)
    try drain(to: sink, at: now, within: &meter)
  }

  private mutating func fill(from source: any WireEnd, at now: MonotonicTime) throws(Errno) {
    // Counts the bytes that are read, not those that arrive. Otherwise a wire that drops everything
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
      // A sink that accepted only a part is full, so another write is useless.
      if count < bytes.count { return }
    }
  }
}
