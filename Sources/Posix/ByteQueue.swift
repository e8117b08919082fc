/// Bytes that wait to be written: a ring of a fixed capacity.
///
/// It refuses what it has no room for; it never drops, never grows. Memory that was never used is
/// never touched, so that a large capacity costs nothing until it is needed.
public struct ByteQueue: ~Copyable {
  private let storage: UnsafeMutableRawBufferPointer
  private var head = 0
  /// How many bytes wait.
  public private(set) var count = 0

  /// Creates an empty queue.
  ///
  /// - Parameter capacity: how many bytes may wait, at least 1.
  public init(capacity: Int) {
    precondition(capacity > 0)
    storage = .allocate(byteCount: capacity, alignment: 1)
  }

  deinit { storage.deallocate() }

  /// How many more bytes it takes.
  public var room: Int { storage.count - count }
  /// Whether nothing waits.
  public var isEmpty: Bool { count == 0 }

  /// Takes all of the bytes, or none.
  ///
  /// - Returns: whether there was room.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= room else { return false }
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
  /// Valid until the queue changes.
  public var front: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: storage[head..<min(head + count, storage.count)])
  }

  /// Forgets bytes at the front.
  public mutating func removeFirst(_ number: Int) {
    precondition((0...count).contains(number))
    count -= number
    // An empty ring starts anew at its beginning, which keeps the front in one piece.
    head = count == 0 ? 0 : (head + number) % storage.count
  }

  /// Forgets all bytes.
  public mutating func removeAll() { removeLast(count) }

  /// Forgets bytes at the end.
  public mutating func removeLast(_ number: Int) {
    precondition((0...count).contains(number))
    count -= number
    if count == 0 { head = 0 }
  }
}
