import CSerial

/// What a watch wants to be told of a descriptor.
public struct Interest: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is something to read, or the end of it.
  public static let reading = Interest(rawValue: 1)
  /// Something can be written.
  public static let writing = Interest(rawValue: 2)

  /// Only that the other end is gone, which every interest but the empty one is told of.
  public static let hangUp = Interest(rawValue: 4)

  var epollEvents: UInt32 {
    (contains(.reading) ? EPOLLIN.rawValue : 0) | (contains(.writing) ? EPOLLOUT.rawValue : 0)
  }
}

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A read brings bytes or the end of file.
  public static let readable = Readiness(rawValue: 1)
  /// A write takes something.
  public static let writable = Readiness(rawValue: 2)
  /// The other end is gone, or the descriptor is in error; there may be bytes left to read.
  public static let hungUp = Readiness(rawValue: 4)

  init(epollEvents: UInt32) {
    self = []
    if epollEvents & EPOLLIN.rawValue != 0 { insert(.readable) }
    if epollEvents & EPOLLOUT.rawValue != 0 { insert(.writable) }
    if epollEvents & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { insert(.hungUp) }
  }

  /// Of a descriptor that is ready for whatever is wanted of it.
  init(always interest: Interest) {
    self.init(rawValue: interest.subtracting(.hangUp).rawValue)
  }
}
