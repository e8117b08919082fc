import CSerial
import Posix

extension Interest {
  var epollEvents: UInt32 {
    (contains(.reading) ? EPOLLIN.rawValue : 0) | (contains(.writing) ? EPOLLOUT.rawValue : 0)
      | (contains(.endOfPeer) ? EPOLLRDHUP.rawValue : 0)
  }
}

extension Readiness {
  init(epollEvents: UInt32) {
    self = []
    if epollEvents & EPOLLIN.rawValue != 0 { insert(.readable) }
    if epollEvents & EPOLLOUT.rawValue != 0 { insert(.writable) }
    if epollEvents & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { insert(.hungUp) }
    if epollEvents & EPOLLRDHUP.rawValue != 0 { insert(.peerEnded) }
  }

  /// The events that an interest includes: a hang-up, too, unless it is empty.
  init(for interest: Interest) {
    self = interest.isEmpty ? [] : .hungUp
    if interest.contains(.reading) { insert(.readable) }
    if interest.contains(.writing) { insert(.writable) }
    if interest.contains(.endOfPeer) { insert(.peerEnded) }
  }
}
