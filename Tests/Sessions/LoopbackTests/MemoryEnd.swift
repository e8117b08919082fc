import EventLoop
import Posix
import Time

@testable import Loopback

/// An end in memory: the bytes to read, the written bytes, and the number of bytes that it accepts.
final class MemoryEnd: WireEnd {
  var unread: ArraySlice<UInt8> = []
  var written: [UInt8] = []
  var room = Int.max

  var isReadable: Bool { !unread.isEmpty }

  func read(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicTime) -> Int {
    let count = min(unread.count, buffer.count)
    buffer.copyBytes(from: unread.prefix(count))
    unread.removeFirst(count)
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) -> Int {
    let count = min(room, bytes.count)
    written += bytes[..<count]
    room -= count
    return count
  }

  func start(at now: MonotonicTime, for line: DuplexLine) {}
  func advance(to now: MonotonicTime) {}
  var nextDeadline: MonotonicTime? { nil }
  func arm(for interest: Interest) -> Bool {
    interest.contains(.reading) && isReadable || interest.contains(.writing) && room > 0
  }
  func armForDrain() -> Bool { true }
  func hangUp() {}
}
