import Posix
import SystemPackage

/// Brings bytes from one end of a line to the other, over a wire and through a bounded queue.
///
/// The queue holds what has crossed the wire and the other end did not take yet. When it is full
/// nothing more is read, which holds up who writes: nothing is lost but by the wire's own faults.
struct Pump: ~Copyable {
  /// How many bytes the queue holds, and how many are read in one go.
  static let capacity = 65_536

  private var queue = ByteQueue(capacity: Pump.capacity)
  private var wire: Wire
  private let scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Pump.capacity, alignment: 1)

  init(_ wire: Wire) { self.wire = wire }

  deinit { scratch.deallocate() }

  /// How many bytes wait for the other end.
  var bufferedByteCount: Int { queue.count }
  /// Whether nothing can be done for the source until it is readable.
  var awaitsSource: Bool { queue.room > 0 && wire.nextArrival == nil }
  /// Whether there are bytes that the sink has to take.
  var awaitsSink: Bool { !queue.isEmpty }
  /// When the next byte will have crossed the wire; nil if time alone brings none.
  var nextArrival: MonotonicTime? { queue.room > 0 ? wire.nextArrival : nil }

  /// Moves what can be moved now, at most one queue's worth.
  ///
  /// - Parameters:
  ///   - source: where the bytes come from.
  ///   - sink: where they go.
  ///   - now: the present.
  ///   - meter: counts what the sink took, and ends it.
  /// - Throws: what the ends say.
  mutating func move(
    from source: any WireEnd, to sink: any WireEnd, at now: MonotonicTime,
    within meter: inout DeliveryMeter
  ) throws(Errno) {
    try drain(to: sink, at: now, within: &meter)
    try fill(from: source, at: now)
    try drain(to: sink, at: now, within: &meter)
  }

  private mutating func fill(from source: any WireEnd, at now: MonotonicTime) throws(Errno) {
    // Counted down by what is read, not by what arrives: on a wire that drops everything there
    // would be no end.
    var room = queue.room
    while room > 0 && source.isReadable {
      wire.begin(at: now)
      let limit = min(room, wire.allowance(at: now))
      guard limit > 0 else { return }
      let space = UnsafeMutableRawBufferPointer(rebasing: scratch[..<limit])
      let count = try source.read(into: space, at: now)
      let arrived = wire.carry(UnsafeMutableRawBufferPointer(rebasing: space[..<count]))
      let isAppended = queue.append(UnsafeRawBufferPointer(rebasing: space[..<arrived]))
      precondition(isAppended, "no more was read than there was room for")
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
      // A sink that takes a part is full; it would be asked in vain.
      if count < bytes.count { return }
    }
  }
}
