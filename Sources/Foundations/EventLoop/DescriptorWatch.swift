public import Posix

/// A watched descriptor. Releasing this token ends the watch.
public final class DescriptorWatch {
  private weak var loop: IOLoop?
  private let id: UInt64

  init(loop: IOLoop, id: UInt64) { (self.loop, self.id) = (loop, id) }

  deinit { cancel() }

  /// The events that the watch reports. Empty after ``cancel()``.
  public var interest: Interest { loop?.interest(of: id) ?? [] }

  /// Changes the events that the watch reports, also those of the present turn. Makes no system
  /// call if they do not change. If the system has no memory for it, the loop tries again.
  public func setInterest(_ interest: Interest) { loop?.setInterest(interest, of: id) }

  /// Ends the watch. Call it before you close the descriptor. A second call has no effect.
  public func cancel() {
    loop?.cancelWatch(id)
    loop = nil
  }
}
