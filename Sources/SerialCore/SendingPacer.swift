/// Limits how many queued bytes are written to the driver now: for devices without flow control
/// that lose bytes which arrive too fast.
public protocol SendingPacer: AnyObject {
  /// Returns how many bytes may be written now.
  ///
  /// - Parameters:
  ///   - session: the session that asks.
  ///   - bytes: the next queued bytes, at least one. Valid during the call.
  /// - Returns: 0 to write nothing until ``Session/continueSending()`` is called.
  func session(_ session: Session, allowanceFor bytes: RawSpan) -> Int

  /// Whether it writes nothing until the device has answered.
  var isAwaitingAnswer: Bool { get }

  /// Called when an author has withdrawn its bytes: their answer is no longer waited for.
  func sessionDidGiveUp(_ session: Session)
}

extension SendingPacer {
  /// False: it only has delays.
  public var isAwaitingAnswer: Bool { false }

  public func sessionDidGiveUp(_ session: Session) {}
}
