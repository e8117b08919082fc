public import SystemPackage

/// A watched descriptor. Releasing this token ends the watch.
public final class DescriptorWatch {
  private weak var loop: IOLoop?
  private let id: UInt64

  init(loop: IOLoop, id: UInt64) {
    self.loop = loop
    self.id = id
  }

  deinit { cancel() }

  /// The events that the watch reports.
  public var interest: Interest { loop?.interest(of: id) ?? [] }

  /// Changes the events that the watch reports. Makes no system call if they do not change.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  public func setInterest(_ interest: Interest) throws(Errno) {
    try loop?.setInterest(interest, of: id)
  }

  /// Ends the watch. Call it before you close the descriptor. A second call has no effect.
  public func cancel() { loop?.cancelWatch(id) }
}
