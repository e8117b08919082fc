/// Bytes that wait to be written: a ring with a bound.
///
/// It refuses what it has no room for, and never drops. It takes the memory that it needs, gives it
/// back when it is empty, and is small while bytes leave as fast as they come.
public struct ByteQueue: ~Copyable {
  private var storage: UnsafeMutableRawBufferPointer
  /// Where ``front`` may still point, until bytes at the front are removed.
  private var outgrown: [UnsafeMutableRawBufferPointer] = []
  private var head = 0
  /// How many bytes wait.
  public private(set) var count = 0
  /// How many bytes may wait.
  public let capacity: Int

  private static let initialSize = 65_536

  /// Creates an empty queue.
  ///
  /// - Parameter capacity: how many bytes may wait, at least 1.
  public init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
    storage = .allocate(byteCount: min(capacity, Self.initialSize), alignment: 1)
  }

  deinit {
    storage.deallocate()
    for buffer in outgrown { buffer.deallocate() }
  }

  /// How many more bytes it takes.
  public var room: Int { capacity - count }
  /// Whether nothing waits.
  public var isEmpty: Bool { count == 0 }

  /// Takes all of the bytes, or none.
  ///
  /// - Returns: whether there was room.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
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

  /// The bytes at the front, as many as lie in one piece; empty when nothing waits.
  ///
  /// Valid until bytes at the front are removed; what is appended, or removed at the end, changes
  /// nothing of them.
  public var front: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: storage[head..<min(head + count, storage.count)])
  }

  /// Forgets bytes at the front.
  public mutating func removeFirst(_ number: Int) {
    precondition((0...count).contains(number))
    count -= number
    head = (head + number) % storage.count
    tidy()
  }

  /// Forgets bytes at the end.
  public mutating func removeLast(_ number: Int) {
    precondition((0...count).contains(number))
    count -= number
    // Somebody may still look at the front.
    if isEmpty { tidy() }
  }

  /// Forgets all bytes.
  public mutating func removeAll() { removeLast(count) }

  private mutating func grow(toHold needed: Int) {
    var size = storage.count
    while size < needed { size = min(size * 2, capacity) }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    let piece = front
    larger.copyMemory(from: piece)
    // What is left of the ring begins at the start of the storage.
    UnsafeMutableRawBufferPointer(rebasing: larger[piece.count...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<(count - piece.count)]))
    outgrown.append(storage)
    storage = larger
    head = 0
  }

  /// Gives back what is not needed any more.
  private mutating func tidy() {
    for buffer in outgrown { buffer.deallocate() }
    outgrown.removeAll(keepingCapacity: true)
    guard count == 0 else { return }
    // An empty ring starts anew at its beginning, which keeps the front in one piece.
    head = 0
    let size = min(capacity, Self.initialSize)
    guard storage.count > size else { return }
    storage.deallocate()
    storage = .allocate(byteCount: size, alignment: 1)
  }
}
