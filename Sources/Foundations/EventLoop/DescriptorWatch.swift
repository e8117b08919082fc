public import Posix
public import SystemPackage

/// A watched descriptor. Releasing this token ends the watch.
public final class DescriptorWatch {
  private weak var loop: IOLoop?
  private let id: UInt64

  /// The events that the watch reports.
  public private(set) var interest: Interest

  init(loop: IOLoop, id: UInt64, for interest: Interest) {
    (self.loop, self.id, self.interest) = (loop, id, interest)
  }

  deinit { cancel() }

  /// Changes the events that the watch reports. Makes no system call if they do not change.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  public func setInterest(_ interest: Interest) throws(Errno) {
    guard interest != self.interest, let loop else { return }
    try loop.setInterest(interest, of: id)
    self.interest = interest
  }

  /// Ends the watch. Call it before you close the descriptor. A second call has no effect.
  public func cancel() {
    loop?.cancelWatch(id)
    (loop, interest) = (nil, [])
  }
}
