import CSerial

/// The events of a descriptor that a watch reports.
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

  /// The other end of a socket sends nothing any more, although bytes of it may be left to read: `EPOLLRDHUP`.
  /// It is reported as often as bytes are. See epoll_ctl(2).
  public static let endOfPeer = Interest(rawValue: 8)

  var epollEvents: UInt32 {
    (contains(.reading) ? EPOLLIN.rawValue : 0) | (contains(.writing) ? EPOLLOUT.rawValue : 0)
      | (contains(.endOfPeer) ? EPOLLRDHUP.rawValue : 0)
  }
}

/// The events that a descriptor is ready for.
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
