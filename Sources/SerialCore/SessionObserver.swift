public import Observing
public import Posix

/// Is notified of what a session did. An observer cannot prevent anything: see ``SessionDelegate``.
///
/// All methods are called on the session's thread, in the order of the events. During a call, an
/// observer may do anything with the session; bytes that it writes are sent after the call.
public protocol SessionObserver: AnyObject {
  /// The session's state changed. The session may have changed its state again since.
  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState)

  /// The port is about to be closed by ``Session/close()`` or ``Session/release()``, and is still open: the last
  /// chance to write. Bytes that the driver does not take at once are discarded by `close`. If another
  /// observer has asked for it during a notification, the port is closed already. Nothing announces a
  /// loss.
  func sessionWillClose(_ session: Session)

  /// The device sent bytes, exactly as read(2) returned them. They are valid during the call.
  func session(_ session: Session, didReceive bytes: RawSpan)

  /// The next received byte has an error, or stands for a break. Only if errors are marked: see
  /// ``LinkOptions/marksErrors``.
  func session(_ session: Session, didReceiveError error: LineError)

  /// Modem lines changed between two readings: see ``Session/refreshModemLines()``.
  func session(
    _ session: Session, didChangeModemLinesFrom old: ModemLines, to new: ModemLines)

  /// Counters changed between two readings: see ``Session/refreshCounters()``.
  func session(
    _ session: Session, didChangeCountersFrom old: LineCounters, to new: LineCounters)

  /// The driver took bytes of one author. They are valid during the call.
  func session(_ session: Session, didSend bytes: RawSpan, by author: Author)

  /// Another author may write now: see ``Session/writer``.
  func session(_ session: Session, didHandPenFrom old: Author, to new: Author)

  /// The events to poll for changed; see ``Session/interest``.
  func session(
    _ session: Session, didChangeInterestFrom old: Interest, to new: Interest)
}

extension SessionObserver {
  /// Does nothing.
  public func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {}
  /// Does nothing.
  public func sessionWillClose(_ session: Session) {}
  /// Does nothing.
  public func session(_ session: Session, didReceive bytes: RawSpan) {}
  /// Does nothing.
  public func session(_ session: Session, didReceiveError error: LineError) {}
  /// Does nothing.
  public func session(
    _ session: Session, didChangeModemLinesFrom old: ModemLines, to new: ModemLines
  ) {}
  /// Does nothing.
  public func session(
    _ session: Session, didChangeCountersFrom old: LineCounters, to new: LineCounters
  ) {}
  /// Does nothing.
  public func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {}
  /// Does nothing.
  public func session(_ session: Session, didHandPenFrom old: Author, to new: Author) {}
  /// Does nothing.
  public func session(
    _ session: Session, didChangeInterestFrom old: Interest, to new: Interest
  ) {}
}

/// Is asked before a session does something, and can veto it. A session has one delegate.
public protocol SessionDelegate: AnyObject {
  /// Whether the session may close. Return false, for example, while a file is being sent, and ask the
  /// user. See ``Session/mayClose()``.
  func sessionShouldClose(_ session: Session) -> Bool

  /// Whether the session may release its port for another program.
  func sessionShouldRelease(_ session: Session) -> Bool

  /// Whether the session may open the port at which its device came back.
  func session(_ session: Session, shouldReturnTo endpoint: Endpoint) -> Bool
}

extension SessionDelegate {
  /// Allows it.
  public func sessionShouldClose(_ session: Session) -> Bool { true }
  /// Allows it.
  public func sessionShouldRelease(_ session: Session) -> Bool { true }
  /// Allows it.
  public func session(_ session: Session, shouldReturnTo endpoint: Endpoint) -> Bool { true }
}

/// An event of a session, as a value, for closures that observe one kind of event.
public enum SessionEvent {
  /// See ``SessionObserver/session(_:didChangeStateFrom:to:)``.
  ///
  /// Indirect, like the counters: both are rare and large. Copying space for them with each event to
  /// each observer took a tenth of the instructions per key.
  indirect case stateChange(Change<SessionState>)
  /// See ``SessionObserver/session(_:didReceive:)``. The bytes are valid during the call.
  case received(UnsafeRawBufferPointer)
  /// See ``SessionObserver/session(_:didReceiveError:)``.
  case lineError(LineError)
  /// See ``SessionObserver/session(_:didChangeModemLinesFrom:to:)``.
  case modemLinesChange(Change<ModemLines>)
  /// See ``SessionObserver/session(_:didChangeCountersFrom:to:)``.
  indirect case countersChange(Change<LineCounters>)
  /// See ``SessionObserver/session(_:didSend:by:)``. The bytes are valid during the call.
  case sent(UnsafeRawBufferPointer, by: Author)
  /// See ``SessionObserver/session(_:didHandPenFrom:to:)``.
  case penChange(Change<Author>)
  /// See ``SessionObserver/session(_:didChangeInterestFrom:to:)``.
  case interestChange(Change<Interest>)
  /// See ``SessionObserver/sessionWillClose(_:)``.
  case willClose

  /// The change of state, for an event of this kind.
  public var stateChange: Change<SessionState>? {
    if case .stateChange(let change) = self { change } else { nil }
  }

  /// The bytes that the device sent, for an event of this kind.
  public var received: UnsafeRawBufferPointer? {
    if case .received(let bytes) = self { bytes } else { nil }
  }

  /// The error that was received, for an event of this kind.
  public var lineError: LineError? {
    if case .lineError(let error) = self { error } else { nil }
  }

  /// The change of the modem lines, for an event of this kind.
  public var modemLinesChange: Change<ModemLines>? {
    if case .modemLinesChange(let change) = self { change } else { nil }
  }

  /// The change of the driver's counters, for an event of this kind.
  public var countersChange: Change<LineCounters>? {
    if case .countersChange(let change) = self { change } else { nil }
  }

  /// The bytes that the driver took, and their author, for an event of this kind.
  public var sent: (bytes: UnsafeRawBufferPointer, author: Author)? {
    if case .sent(let bytes, let author) = self { (bytes, author) } else { nil }
  }

  /// The change of the author who may write, for an event of this kind.
  public var penChange: Change<Author>? {
    if case .penChange(let change) = self { change } else { nil }
  }

  /// The announcement, for an event of this kind.
  public var willClose: Void? {
    if case .willClose = self { () } else { nil }
  }

  /// Kinds of events. An observer of some kinds is not called for the others, which are most: every key
  /// and every received byte is an event.
  public struct Kinds: OptionSet, Sendable {
    /// The set as bits.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// See ``SessionEvent/stateChange(_:)``.
    public static let stateChange = Kinds(rawValue: 1)
    /// See ``SessionEvent/received(_:)``.
    public static let received = Kinds(rawValue: 2)
    /// See ``SessionEvent/lineError(_:)``.
    public static let lineError = Kinds(rawValue: 4)
    /// See ``SessionEvent/modemLinesChange(_:)``.
    public static let modemLinesChange = Kinds(rawValue: 8)
    /// See ``SessionEvent/countersChange(_:)``.
    public static let countersChange = Kinds(rawValue: 16)
    /// See ``SessionEvent/sent(_:by:)``.
    public static let sent = Kinds(rawValue: 32)
    /// See ``SessionEvent/penChange(_:)``.
    public static let penChange = Kinds(rawValue: 64)
    /// See ``SessionEvent/interestChange(_:)``.
    public static let interestChange = Kinds(rawValue: 128)
    /// See ``SessionEvent/willClose-enum.case``.
    public static let willClose = Kinds(rawValue: 256)
    /// Every kind.
    public static let all = Kinds(rawValue: .max)

    /// The kind that a property of ``SessionEvent`` belongs to; all for a property of another type.
    init(_ property: PartialKeyPath<SessionEvent>) {
      switch property {
      case \SessionEvent.stateChange: self = .stateChange
      case \SessionEvent.received: self = .received
      case \SessionEvent.lineError: self = .lineError
      case \SessionEvent.modemLinesChange: self = .modemLinesChange
      case \SessionEvent.countersChange: self = .countersChange
      case \SessionEvent.sent: self = .sent
      case \SessionEvent.penChange: self = .penChange
      case \SessionEvent.willClose: self = .willClose
      default: self = .all
      }
    }
  }

  /// The kind of the event.
  var kind: Kinds {
    switch self {
    case .stateChange: .stateChange
    case .received: .received
    case .lineError: .lineError
    case .modemLinesChange: .modemLinesChange
    case .countersChange: .countersChange
    case .sent: .sent
    case .penChange: .penChange
    case .interestChange: .interestChange
    case .willClose: .willClose
    }
  }

  fileprivate func tell(_ observer: some SessionObserver, of session: Session) {
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
    case .sent(let bytes, let author):
      observer.session(session, didSend: bytes.bytes, by: author)
    case .penChange(let change):
      observer.session(session, didHandPenFrom: change.old, to: change.new)
    case .interestChange(let change):
      observer.session(session, didChangeInterestFrom: change.old, to: change.new)
    case .willClose: observer.sessionWillClose(session)
    }
  }
}

extension Session {
  /// Adds an observer at the end of the list. The session does not retain it.
  ///
  /// - Parameters:
  ///   - observer: the observer.
  ///   - kinds: the kinds of events that it wants: those whose methods it implements.
  public func addObserver(_ observer: some SessionObserver, of kinds: SessionEvent.Kinds = .all) {
    // Unowned: the session is alive during a notification, which its own methods send.
    events.add(observer, kinds: kinds.rawValue) { [unowned self] observer, event in
      event.tell(observer, of: self)
    }
  }

  /// Removes an observer, which is not notified any more.
  public func removeObserver(_ observer: some SessionObserver) { events.remove(observer) }

  /// Observes one kind of event with a closure, until the token is released:
  /// `session.observe(\.stateChange) { … }`.
  public func observe<Payload>(
    _ kind: KeyPath<SessionEvent, Payload?>, _ handler: @escaping (Payload) -> Void
  ) -> ObservationToken<SessionEvent> {
    events.observe(kinds: SessionEvent.Kinds(kind).rawValue) { event in
      if let payload = event[keyPath: kind] { handler(payload) }
    }
  }
}
