public import Posix

/// A watched descriptor. Releasing this token ends the watch.
public final class DescriptorWatch {
  private weak var loop: IOLoop?
  private let id: UInt64

  /// The events that the watch reports. Empty after ``cancel()``.
  public private(set) var interest: Interest

  init(loop: IOLoop, id: UInt64, for interest: Interest) {
    (self.loop, self.id, self.interest) = (loop, id, interest)
  }

  deinit { cancel() }

  /// Changes the events that the watch reports, also those of the present turn. Makes no system
  /// call if they do not change. If the system has no memory for it, the loop tries again.
  public func setInterest(_ interest: Interest) {
    guard interest != self.interest, let loop else { return }
    self.interest = interest
    loop.setInterest(interest, of: id)
  }

  /// Ends the watch. Call it before you close the descriptor. A second call has no effect.
  public func cancel() {
    loop?.cancelWatch(id)
    (loop, interest) = (nil, [])
  }
}
