/// Is asked before a session does something, and can veto it. A session has one delegate.
public protocol SessionDelegate: AnyObject {
  /// Whether the session may close. Return false, for example, while a file is being sent, and ask
  /// the user. See ``Session/mayClose()``.
  func sessionShouldClose(_ session: Session) -> Bool

  /// Whether the session may release its port for another program.
  func sessionShouldRelease(_ session: Session) -> Bool
}

extension SessionDelegate {
  /// Allows it.
  public func sessionShouldClose(_ session: Session) -> Bool { true }
  /// Allows it.
  public func sessionShouldRelease(_ session: Session) -> Bool { true }
}
