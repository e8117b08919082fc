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

  /// The readiness of a regular file, which is always ready for reading and writing.
  init(always interest: Interest) {
    self.init(rawValue: interest.intersection([.reading, .writing]).rawValue)
  }
}
