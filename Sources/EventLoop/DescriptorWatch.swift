public import SystemPackage

/// A descriptor that is being watched, for as long as this token is kept.
public final class DescriptorWatch {
  private weak var loop: EventLoop?
  private let id: UInt64

  init(loop: EventLoop, id: UInt64) {
    self.loop = loop
    self.id = id
  }

  deinit { cancel() }

  /// What the watch wants to be told of.
  public var interest: Interest { loop?.interest(of: id) ?? [] }

  /// Changes what the watch wants to be told of. Setting what is set already costs no system call.
  ///
  /// - Throws: what epoll_ctl(2) says.
  public func setInterest(_ interest: Interest) throws(Errno) {
    try loop?.setInterest(interest, of: id)
  }

  /// Ends the watch; must come before the descriptor is closed. Calling it again does nothing.
  public func cancel() { loop?.cancelWatch(id) }
}
