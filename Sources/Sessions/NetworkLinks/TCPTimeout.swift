import CSerial
package import EventLoop
import Glibc
package import SystemPackage
import Time

/// Ends a TCP connection whose peer is gone, and keeps one whose peer reads nothing at present.
///
/// While bytes wait, no keepalive is sent, so that only `TCP_USER_TIMEOUT` finds a lost peer. But
/// it also ends the connection to a peer that closes its window for as long, and answers each
/// probe: a server whose device is held by flow control, a terminal that its user has stopped. The
/// timeout is put off for these. See tcp(7), and section 4.2.2.17 of RFC 1122.
package final class TCPTimeout {
  private let descriptor: FileDescriptor
  private let loop: IOLoop
  private let interval: Duration
  private var nextCheck: LoopTimer?
  private var hold: Hold?

  /// A time in which the peer takes nothing.
  private struct Hold {
    /// The first check in it.
    let start: MonotonicTime
    /// The number of bytes that the peer has acknowledged before.
    let acknowledged: UInt64
  }

  /// The time that written bytes may stay unacknowledged, in milliseconds.
  static let length: CInt = 14_000
  /// The time from a check of a peer that takes nothing to the end of its connection, if no check
  /// follows. The kernel probes the peer's window at least that often.
  private static let heldLength = Duration.seconds(9)
  /// The number of unanswered probes of a closed window after which the peer counts as gone.
  private static let lostProbeCount = 2

  /// Creates the timeout of a connection; nil if the descriptor is no TCP socket.
  ///
  /// - Parameters:
  ///   - descriptor: borrowed.
  ///   - interval: the time between two checks while bytes are on their way; shorter than half of
  ///     ``length``.
  package init?(
    of descriptor: FileDescriptor, on loop: IOLoop, checkingEvery interval: Duration = .seconds(3)
  ) {
    var progress = cserial_tcp_progress()
    guard cserial_get_tcp_progress(descriptor.rawValue, &progress) == 0 else { return nil }
    (self.descriptor, self.loop, self.interval) = (descriptor, loop, interval)
  }

  /// Checks the connection from now on, until all bytes are acknowledged.
  package func bytesWereWritten() {
    guard nextCheck == nil else { return }
    nextCheck = loop.schedule(after: interval) { [unowned self] in
      nextCheck = nil
      check()
    }
  }

  private func check() {
    var progress = cserial_tcp_progress()
    guard cserial_get_tcp_progress(descriptor.rawValue, &progress) == 0 else { return }
    if progress.in_flight > 0 || progress.not_sent == 0 {
      hold = nil
    } else if hold?.acknowledged != progress.acknowledged {
      hold = Hold(start: .now, acknowledged: progress.acknowledged)
    }
    // The timeout of a peer that has stopped answering is no longer put off.
    if hold == nil || progress.unanswered_probes < Self.lostProbeCount {
      StreamSocket.set(TCP_USER_TIMEOUT, timeout, of: descriptor)
    }
    if progress.in_flight > 0 || progress.not_sent > 0 { bytesWereWritten() }
  }

  /// The timeout in milliseconds. For a peer that takes nothing, it counts from the first probe.
  private var timeout: CInt {
    guard let hold else { return Self.length }
    let length = MonotonicTime.now - hold.start + interval + Self.heldLength
    return CInt(clamping: length.nanoseconds / 1_000_000)
  }
}
