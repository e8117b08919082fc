import Glibc
package import SystemPackage
package import Time

/// The events of a descriptor that are waited for. The corresponding C type is the
/// `events` of `poll`.
public struct Interest: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bytes or the end of file can be read.
  public static let reading = Interest(rawValue: 1)
  /// Bytes can be written.
  public static let writing = Interest(rawValue: 2)

  /// The other end has hung up. Every interest except the empty one includes this.
  public static let hangUp = Interest(rawValue: 4)

  /// The other end of a socket sends nothing any more, although bytes of it may be left to read:
  /// `EPOLLRDHUP`. It is reported as often as bytes are. See epoll_ctl(2).
  public static let endOfPeer = Interest(rawValue: 8)
}

/// The events that a descriptor is ready for. The corresponding C type is the `revents` of `poll`.
public struct Readiness: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A read returns bytes or the end of file.
  public static let readable = Readiness(rawValue: 1)
  /// A write accepts at least one byte.
  public static let writable = Readiness(rawValue: 2)
  /// The other end has hung up, or the descriptor has an error; there may be bytes left to read.
  public static let hungUp = Readiness(rawValue: 4)
  /// The other end sends nothing any more: see ``Interest/endOfPeer``.
  public static let peerEnded = Readiness(rawValue: 8)
}

extension Interest {
  /// The `events` of a `pollfd`: see poll(2). Those of ``endOfPeer`` are left out.
  public var pollEvents: Int16 {
    Int16((contains(.reading) ? POLLIN : 0) | (contains(.writing) ? POLLOUT : 0))
  }
}

extension Readiness {
  /// Creates a set from the `revents` of a `pollfd`. See poll(2).
  public init(pollEvents: Int16) {
    let events = CInt(pollEvents)
    self = []
    if events & POLLIN != 0 { insert(.readable) }
    if events & POLLOUT != 0 { insert(.writable) }
    if events & (POLLHUP | POLLERR | POLLNVAL) != 0 { insert(.hungUp) }
  }
}

extension FileDescriptor {
  /// Waits until the descriptor is ready for an event, also if signals interrupt the wait. The
  /// corresponding C function is `poll`.
  ///
  /// - Parameter deadline: the end of the wait; nil for none.
  /// - Returns: the events; empty if the deadline is over, or the kernel cannot wait.
  package func wait(for interest: Interest, until deadline: MonotonicTime?) -> Readiness {
    var request = pollfd(fd: rawValue, events: interest.pollEvents, revents: 0)
    while true {
      var milliseconds: CInt = -1
      if let deadline {
        let rest = (deadline - .now).nanoseconds
        guard rest > 0 else { return [] }
        // Rounded up: the last millisecond would be many calls that do not wait.
        milliseconds = CInt(clamping: (rest - 1) / 1_000_000 + 1)
      }
      let count = poll(&request, 1, milliseconds)
      if count > 0 { return Readiness(pollEvents: request.revents) }
      // Without memory, it does not wait.
      if count < 0, errno != EINTR { return [] }
    }
  }
}
