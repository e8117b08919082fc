/// A bounded queue of bytes to write: a ring buffer.
///
/// It refuses bytes that do not fit, and never drops bytes. It grows as needed, and shrinks to its
/// initial size when it is empty.
package struct ByteQueue: ~Copyable {
  private var storage: UnsafeMutableRawBufferPointer
  /// Former storage that ``front`` may still point to, until bytes at the front are removed.
  private var outgrown: [UnsafeMutableRawBufferPointer] = []
  private var head = 0
  /// The number of bytes in the queue.
  package private(set) var count = 0
  /// The maximum number of bytes.
  package let capacity: Int

  private static let initialSize = 65_536

  /// Creates an empty queue.
  ///
  /// - Parameter capacity: the maximum number of bytes, at least 1.
  package init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
    storage = .allocate(byteCount: min(capacity, Self.initialSize), alignment: 1)
  }

  deinit {
    storage.deallocate()
    for buffer in outgrown { buffer.deallocate() }
  }

  /// The number of bytes that still fit.
  package var room: Int { capacity - count }
  /// Whether there are no bytes.
  package var isEmpty: Bool { count == 0 }

  /// Appends all of the bytes, or none if they do not fit.
  ///
  /// - Returns: whether they fit.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= room else { return false }
    if bytes.count > storage.count - count { grow(toHold: count + bytes.count) }
    let tail = (head + count) % storage.count
    let first = min(bytes.count, storage.count - tail)
    UnsafeMutableRawBufferPointer(rebasing: storage[tail...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
    storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first...]))
    count += bytes.count
    return true
  }

  /// The contiguous bytes at the front; empty if the queue is empty.
  ///
  /// Valid until bytes at the front are removed. Appending bytes, or removing bytes at the end,
  /// does not change them.
  package var front: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: storage[head..<min(head + count, storage.count)])
  }

  /// Removes bytes at the front.
  package mutating func removeFirst(_ number: Int) {
    precondition((0...count).contains(number))
    count -= number
    head = (head + number) % storage.count
    tidy()
  }

  /// Removes bytes at the end.
  package mutating func removeLast(_ number: Int) {
    precondition((0...count).contains(number))
    count -= number
    // If bytes remain, the caller may still use the front.
    if isEmpty { tidy() }
  }

  /// Removes bytes at offsets from the front. The bytes after them move up; those before them
  /// stay in place.
  package mutating func remove(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    var (source, target) = (range.upperBound, range.lowerBound)
    while source < count {
      let from = (head + source) % storage.count
      let to = (head + target) % storage.count
      let size = min(count - source, storage.count - from, storage.count - to)
      UnsafeMutableRawBufferPointer(rebasing: storage[to...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[from..<(from + size)]))
      source += size
      target += size
    }
    removeLast(range.count)
  }

  /// Removes all bytes.
  package mutating func removeAll() { removeLast(count) }

  private mutating func grow(toHold needed: Int) {
    var size = storage.count
    while size < needed { size = min(size * 2, capacity) }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    let piece = front
    larger.copyMemory(from: piece)
    // The rest of the ring is at the start of the storage.
    UnsafeMutableRawBufferPointer(rebasing: larger[piece.count...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<(count - piece.count)]))
    outgrown.append(storage)
    storage = larger
    head = 0
  }

  /// Frees memory that is no longer needed.
  private mutating func tidy() {
    for buffer in outgrown { buffer.deallocate() }
    outgrown.removeAll(keepingCapacity: true)
    guard count == 0 else { return }
    // An empty ring restarts at the start of its storage, which keeps the front contiguous.
    head = 0
    let size = min(capacity, Self.initialSize)
    guard storage.count > size else { return }
    storage.deallocate()
    storage = .allocate(byteCount: size, alignment: 1)
  }
}
