import EventLoop
import Posix
import SystemPackage
import Time

/// An end of a line: a terminal, or a simulated device.
///
/// Its events are level-triggered, like those of the loop: an event requested by ``arm(for:)`` is
/// repeated as long as its condition is true.
protocol WireEnd: AnyObject {
  /// Starts. From now on the line handles the events of the end, but never during another method.
  /// It is not retained.
  func start(at now: MonotonicTime, for line: DuplexLine)

  /// Performs all actions that are due.
  func advance(to now: MonotonicTime)

  /// The time of the next action that needs no event; nil if there is none.
  var nextDeadline: MonotonicTime? { get }

  /// Whether a read may return bytes; false after a read that returned none.
  var isReadable: Bool { get }

  /// Reads available bytes.
  ///
  /// - Returns: the number of bytes; 0 if none are available now.
  func read(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicTime) throws(Errno) -> Int

  /// Writes as many bytes as the end accepts, starting with the first.
  ///
  /// - Returns: the number of accepted bytes; 0 if none can be accepted now.
  func write(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) throws(Errno) -> Int

  /// Requests an event when the end can be read or written.
  ///
  /// - Returns: true if it is already ready. Then no event follows.
  func arm(for interest: Interest) -> Bool

  /// Requests an event for each read of the client, to wait until it has read everything.
  ///
  /// - Returns: true if it has already read everything.
  func armForDrain() throws(Errno) -> Bool

  /// Ends permanently. Further calls do nothing.
  func hangUp()
}

/// An event of an end.
enum WireEndEvent {
  /// A requested condition is true.
  case ready
  /// The end cannot be used any more.
  case failed(Errno)
}
