public import Observing
public import SystemPackage

/// Hears what a session did. An observer cannot prevent anything: see ``SessionDelegate``.
///
/// All are called on the session's thread, in the order in which things happened. From inside a
/// call an observer may do anything with the session; what it writes goes out after the call.
public protocol SessionObserver: AnyObject {
  /// The session's state changed. By now the session may be further along.
  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState)

  /// The device sent bytes: exactly as read(2) returned them. They live as long as the call.
  func session(_ session: Session, didReceive bytes: RawSpan)

  /// The next byte that is received came with an error, or stands for a break. Only where errors
  /// are marked: see ``LinkOptions/marksErrors``.
  func session(_ session: Session, didReceiveError error: LineError)

  /// Modem lines changed, as far as somebody looked: see ``Session/refreshModemLines()``.
  func session(
    _ session: Session, didChangeModemLinesFrom old: ModemLines, to new: ModemLines)

  /// The driver has counted, as far as somebody looked: see ``Session/refreshCounters()``.
  func session(
    _ session: Session, didChangeCountersFrom old: LineCounters, to new: LineCounters)

  /// The driver took bytes. They live as long as the call.
  func session(_ session: Session, didSend bytes: RawSpan)

  /// What the session wants to be told of its descriptor changed; see ``Session/interest``.
  func session(
    _ session: Session, didChangeInterestFrom old: Session.Interest, to new: Session.Interest)
}

extension SessionObserver {
  /// Ignores it.
  public func session(_ session: Session, didReceive bytes: RawSpan) {}
  /// Ignores it.
  public func session(_ session: Session, didReceiveError error: LineError) {}
  /// Ignores it.
  public func session(
    _ session: Session, didChangeModemLinesFrom old: ModemLines, to new: ModemLines
  ) {}
  /// Ignores it.
  public func session(
    _ session: Session, didChangeCountersFrom old: LineCounters, to new: LineCounters
  ) {}
  /// Ignores it.
  public func session(_ session: Session, didSend bytes: RawSpan) {}
  /// Ignores it.
  public func session(
    _ session: Session, didChangeInterestFrom old: Session.Interest, to new: Session.Interest
  ) {}
}

/// Is asked before a session does something, and can veto it. A session has one delegate.
public protocol SessionDelegate: AnyObject {
  /// Whether the session may be closed on request, for example while a transfer runs.
  func sessionShouldClose(_ session: Session) -> Bool

  /// Whether the session may let go of its port for another program.
  func sessionShouldRelease(_ session: Session) -> Bool

  /// Whether the session may open the port at which its device came back.
  func session(_ session: Session, shouldReturnTo path: FilePath) -> Bool
}

extension SessionDelegate {
  /// Allows it.
  public func sessionShouldClose(_ session: Session) -> Bool { true }
  /// Allows it.
  public func sessionShouldRelease(_ session: Session) -> Bool { true }
  /// Allows it.
  public func session(_ session: Session, shouldReturnTo path: FilePath) -> Bool { true }
}

/// What a session did, as one value, for closures that observe one kind of it.
public enum SessionEvent {
  /// See ``SessionObserver/session(_:didChangeStateFrom:to:)``.
  ///
  /// Indirect, as the counters are: both are rare and large, and copying room for them with each event
  /// to each observer was a tenth of the instructions that a key costs.
  indirect case stateChange(Change<SessionState>)
  /// See ``SessionObserver/session(_:didReceive:)``. The bytes live as long as the call.
  case received(UnsafeRawBufferPointer)
  /// See ``SessionObserver/session(_:didReceiveError:)``.
  case lineError(LineError)
  /// See ``SessionObserver/session(_:didChangeModemLinesFrom:to:)``.
  case modemLinesChange(Change<ModemLines>)
  /// See ``SessionObserver/session(_:didChangeCountersFrom:to:)``.
  indirect case countersChange(Change<LineCounters>)
  /// See ``SessionObserver/session(_:didSend:)``. The bytes live as long as the call.
  case sent(UnsafeRawBufferPointer)
  /// See ``SessionObserver/session(_:didChangeInterestFrom:to:)``.
  case interestChange(Change<Session.Interest>)

  /// The change of state, if it is one.
  public var stateChange: Change<SessionState>? {
    if case .stateChange(let change) = self { change } else { nil }
  }

  /// The bytes that the device sent, if it is that.
  public var received: UnsafeRawBufferPointer? {
    if case .received(let bytes) = self { bytes } else { nil }
  }

  /// The error that was received, if it is that.
  public var lineError: LineError? {
    if case .lineError(let error) = self { error } else { nil }
  }

  /// The change of the modem lines, if it is one.
  public var modemLinesChange: Change<ModemLines>? {
    if case .modemLinesChange(let change) = self { change } else { nil }
  }

  /// The change of the driver's counters, if it is one.
  public var countersChange: Change<LineCounters>? {
    if case .countersChange(let change) = self { change } else { nil }
  }

  /// The bytes that the driver took, if it is that.
  public var sent: UnsafeRawBufferPointer? {
    if case .sent(let bytes) = self { bytes } else { nil }
  }

  func tell(_ observer: some SessionObserver, of session: Session) {
    switch self {
    case .stateChange(let change):
      observer.session(session, didChangeStateFrom: change.old, to: change.new)
    case .received(let bytes):
      observer.session(session, didReceive: bytes.bytes)
    case .lineError(let error):
      observer.session(session, didReceiveError: error)
    case .modemLinesChange(let change):
      observer.session(session, didChangeModemLinesFrom: change.old, to: change.new)
    case .countersChange(let change):
      observer.session(session, didChangeCountersFrom: change.old, to: change.new)
    case .sent(let bytes):
      observer.session(session, didSend: bytes.bytes)
    case .interestChange(let change):
      observer.session(session, didChangeInterestFrom: change.old, to: change.new)
    }
  }
}
