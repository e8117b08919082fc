/// Decides how many of the bytes that wait may be handed to the driver now: for devices that have
/// no flow control, and lose what comes too fast.
public protocol SendingPacer: AnyObject {
  /// How many bytes may go now.
  ///
  /// - Parameter bytes: what comes next of what waits, at least one byte. They live as long as the
  ///   call.
  /// - Returns: 0 to hold them back until ``Session/continueSending()`` is called.
  func session(_ session: Session, allowanceFor bytes: RawSpan) -> Int
}
