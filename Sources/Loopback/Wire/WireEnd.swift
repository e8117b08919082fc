import EventLoop
import Posix
import SystemPackage

/// An end of a line: a terminal, or a simulated device.
///
/// Its events are level-triggered, like those of the loop: an event requested with ``arm(for:)`` is
/// repeated as long as the condition holds.
protocol WireEnd: AnyObject {
  /// Starts: from now on events are reported, never from within another method.
  func start(at now: MonotonicTime, onEvent: @escaping (WireEndEvent) -> Void)

  /// Performs everything that is due.
  func advance(to now: MonotonicTime)

  /// The time of the next action that needs no event; nil if there is none.
  var nextDeadline: MonotonicTime? { get }

  /// Whether a read can succeed; false after one that returned nothing.
  var isReadable: Bool { get }

  /// Reads available bytes.
  ///
  /// - Returns: The number of bytes; 0 if there are none now.
  func read(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicTime) throws(Errno) -> Int

  /// Writes as many bytes as the end accepts, from the first.
  ///
  /// - Returns: The number of accepted bytes; 0 if none can be accepted now.
  func write(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) throws(Errno) -> Int

  /// Requests an event when it can be read or written.
  ///
  /// - Returns: true if it is ready already and no event will follow.
  func arm(for interest: Interest) throws(Errno) -> Bool

  /// Requests an event whenever the client reads, to wait until it has read everything.
  ///
  /// - Returns: true if it has read everything already.
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
