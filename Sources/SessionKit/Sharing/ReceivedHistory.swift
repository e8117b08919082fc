/// The bytes that a device sent last, with their times, for those who join a session later.
///
/// Adding bytes copies them, and allocates nothing once the memory is full.
package struct ReceivedHistory {
  /// Bytes that came at about the same time.
  package struct Piece: Hashable {
    /// In nanoseconds since 1970-01-01 UTC.
    package let time: UInt64
    package let bytes: [UInt8]

    package init(time: UInt64, bytes: [UInt8]) { (self.time, self.bytes) = (time, bytes) }
  }

  /// A number of bytes with one time.
  private struct Run {
    let time: UInt64
    var count: Int
  }

  /// A ring, once it is full.
  private var ring: [UInt8] = []
  /// The place of the next byte in a ring that is full.
  private var end = 0
  /// The runs, the oldest at ``head``.
  private var runs: [Run] = []
  private var head = 0
  /// The number of bytes in the runs.
  private var count = 0

  /// The most bytes that are kept.
  package static let capacity = 65_536
  /// Bytes that come within this time share one, in nanoseconds.
  private static let resolution: UInt64 = 10_000_000
  /// The most runs: of a device that sends single bytes, fewer bytes are kept.
  private static let runLimit = 2_048

  /// What is kept, the oldest first.
  var all: [Piece] {
    var place = ring.count < Self.capacity ? ring.count - count : end + Self.capacity - count
    return runs[head...].map { run in
      let bytes = (place..<(place + run.count)).map { ring[$0 % Self.capacity] }
      place += run.count
      return Piece(time: run.time, bytes: bytes)
    }
  }

  /// Adds bytes, and drops the oldest.
  mutating func add(_ bytes: UnsafeRawBufferPointer, at time: UInt64) {
    store(UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.capacity)))
    let added = min(bytes.count, Self.capacity)
    count += added
    if head < runs.count, time &- runs[runs.count - 1].time < Self.resolution {
      runs[runs.count - 1].count += added
    } else {
      runs.append(Run(time: time, count: added))
    }
    while runs.count - head > Self.runLimit {
      count -= runs[head].count
      head += 1
    }
    forget(count - Self.capacity)
  }

  private mutating func store(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    if ring.count < Self.capacity {
      let part = rest.prefix(Self.capacity - ring.count)
      ring.append(contentsOf: part)
      rest = rest.dropFirst(part.count)
    }
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.capacity - end))
      ring.withUnsafeMutableBytes { ring in
        UnsafeMutableRawBufferPointer(rebasing: ring[end...]).copyMemory(from: part)
      }
      end = (end + part.count) % Self.capacity
      rest = rest.dropFirst(part.count)
    }
  }

  /// Forgets a number of the oldest bytes.
  private mutating func forget(_ number: Int) {
    var rest = number
    while rest > 0 {
      let part = min(rest, runs[head].count)
      runs[head].count -= part
      count -= part
      rest -= part
      if runs[head].count == 0 { head += 1 }
    }
    guard head > 64, head > runs.count / 2 else { return }
    runs.removeFirst(head)
    head = 0
  }
}
