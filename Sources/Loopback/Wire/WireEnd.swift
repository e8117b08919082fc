import EventLoop
import Posix
import SystemPackage

/// What a line ends at: a terminal, or a device that is simulated.
///
/// It is level-triggered, as the loop is: what was asked for with ``arm(for:)`` is told again and
/// again for as long as it holds.
protocol WireEnd: AnyObject {
  /// Begins: from now on events are told, never from within another method.
  func start(at now: MonotonicTime, onEvent: @escaping (WireEndEvent) -> Void)

  /// Does what is due by now.
  func advance(to now: MonotonicTime)

  /// When there will be something to do though nothing happens; nil if never.
  var nextDeadline: MonotonicTime? { get }

  /// Whether a read is worth the try; false after one that brought nothing.
  var isReadable: Bool { get }

  /// Reads what there is.
  ///
  /// - Returns: how many bytes; 0 for nothing now.
  func read(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicTime) throws(Errno) -> Int

  /// Writes what is taken.
  ///
  /// - Returns: how many of the bytes were taken, from the first; 0 for none now.
  func write(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) throws(Errno) -> Int

  /// Asks to be told when it can be read or written.
  ///
  /// - Returns: true if it can be already, and nothing else would tell.
  func arm(for interest: Interest) throws(Errno) -> Bool

  /// Asks to be told when who is there has read all that was written.
  ///
  /// - Returns: true if that is so already.
  func armForSilence() throws(Errno) -> Bool

  /// Ends for good. Calling it again does nothing.
  func hangUp()
}

/// What an end tells its line.
enum WireEndEvent {
  /// Something that was asked for has come.
  case ready
  /// The end is of no more use.
  case failed(Errno)
}
