import EventLoop
import Glibc
import Posix
import SystemPackage
import TextTools
import Time

/// The named pipe that a capturing program has made and reads.
enum CapturePipe {
  /// The time that the reader has to open it.
  private static let patience = Duration.seconds(30)
  private static let interval = Duration.milliseconds(20)

  /// Waits until the pipe has a reader, and opens it.
  ///
  /// - Returns: nil if a signal ends the wait.
  /// - Throws: ``Failure`` if it is no pipe, or if nobody reads it; the errors of the loop.
  static func open(_ path: FilePath) throws -> OwnedDescriptor? {
    let loop = try IOLoop()
    var isEnded = false
    let signals = try loop.watchSignals(ExitStatus.endingSignals) { _ in isEnded = true }
    defer { withExtendedLifetime(signals) {} }
    let deadline = MonotonicTime.now + patience
    while !isEnded {
      do throws(Errno) {
        let pipe = try OwnedDescriptor.open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
        if try pipe.borrowed.stat().type == .fifo { return pipe }
      } catch .noSuchAddressOrDevice where MonotonicTime.now < deadline {
        // It has no reader yet. A reader that waits for a writer causes no event.
        try loop.turn(waitingAtMost: interval)
        continue
      } catch {
        throw Failure(.otherFailure, "\(path.string.harmless): \(error).")
      }
      throw Failure(.usage, "\(path.string.harmless): not a named pipe.")
    }
    return nil
  }
}
