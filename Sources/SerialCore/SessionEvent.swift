public import Observing
public import Posix

/// Something that a session did.
///
/// All events of a session are in one list, so that every observer receives them in the same order.
/// An observer names the kind that it needs: see ``Session/observe(_:rank:_:)`` and ``Kind``. A new
/// kind is a case here and a constant of ``Kind``, and nothing else.
public enum SessionEvent {
  /// The session's state changed. The session may have changed its state again since.
  ///
  /// Indirect, like the counters: both are rare and large. Copying space for them with each event
  /// to each observer took a tenth of the instructions per key.
  indirect case stateChange(Change<SessionState>)
  /// The device sent bytes, exactly as read(2) returned them. They are valid during the call.
  case received(UnsafeRawBufferPointer)
  /// The next received byte has an error, or stands for a break. Only if errors are
  /// marked: see ``LinkOptions/marksErrors``.
  case lineError(LineError)
  /// Modem lines changed between two readings: see ``Session/refreshModemLines()``.
  case modemLinesChange(Change<ModemLines>)
  /// Counters changed between two readings: see ``Session/refreshCounters()``.
  indirect case countersChange(Change<LineCounters>)
  /// The open port has other features now: see ``Session/capabilities``. Its modem lines and
  /// counters are those of the new features.
  case capabilitiesChange(Change<LineCapabilities>)
  /// The driver took bytes of one author. They are valid during the call.
  case sent(bytes: UnsafeRawBufferPointer, author: Author)
  /// Another author may write now: see ``Session/writer``.
  case penChange(Change<Author>)
  /// The events to poll for changed; see ``Session/interest``.
  case interestChange(Change<Interest>)
  /// The port is about to be closed by ``Session/close()`` or ``Session/release()``, and is still
  /// open: the last chance to write. Bytes that the driver does not take at once are discarded by
  /// `close`. If another observer has asked for it during a notification, the port is closed
  /// already. Nothing announces a loss.
  case willClose

  /// A kind of events, with the type of what they contain.
  ///
  /// An observer of one kind is not called for the others, which are most: every key and every
  /// received byte is an event.
  public struct Kind<Payload> {
    /// The kind as a bit, for the list of observers.
    package let bit: UInt
    /// Makes an event of this kind.
    let event: (Payload) -> SessionEvent
    /// Makes an observer of all events from one of the contents of this kind.
    let observer: (@escaping (Payload) -> Void) -> (SessionEvent) -> Void

    init(
      _ number: UInt, _ event: @escaping (Payload) -> SessionEvent,
      _ observer: @escaping (@escaping (Payload) -> Void) -> (SessionEvent) -> Void
    ) {
      (bit, self.event, self.observer) = (1 << number, event, observer)
    }
  }
}

// Each constant has a number of its own.

extension SessionEvent.Kind where Payload == Change<SessionState> {
  /// See ``SessionEvent/stateChange(_:)``.
  public static var stateChange: Self {
    Self(0, SessionEvent.stateChange) { handler in
      { if case .stateChange(let change) = $0 { handler(change) } }
    }
  }
}

extension SessionEvent.Kind where Payload == UnsafeRawBufferPointer {
  /// See ``SessionEvent/received(_:)``.
  public static var received: Self {
    Self(1, SessionEvent.received) { handler in
      { if case .received(let bytes) = $0 { handler(bytes) } }
    }
  }
}

extension SessionEvent.Kind where Payload == LineError {
  /// See ``SessionEvent/lineError(_:)``.
  public static var lineError: Self {
    Self(2, SessionEvent.lineError) { handler in
      { if case .lineError(let error) = $0 { handler(error) } }
    }
  }
}

extension SessionEvent.Kind where Payload == Change<ModemLines> {
  /// See ``SessionEvent/modemLinesChange(_:)``.
  public static var modemLinesChange: Self {
    Self(3, SessionEvent.modemLinesChange) { handler in
      { if case .modemLinesChange(let change) = $0 { handler(change) } }
    }
  }
}

extension SessionEvent.Kind where Payload == Change<LineCounters> {
  /// See ``SessionEvent/countersChange(_:)``.
  public static var countersChange: Self {
    Self(4, SessionEvent.countersChange) { handler in
      { if case .countersChange(let change) = $0 { handler(change) } }
    }
  }
}

extension SessionEvent.Kind where Payload == (bytes: UnsafeRawBufferPointer, author: Author) {
  /// See ``SessionEvent/sent(bytes:author:)``.
  public static var sent: Self {
    Self(5, { .sent(bytes: $0.bytes, author: $0.author) }) { handler in
      { if case .sent(let bytes, let author) = $0 { handler((bytes, author)) } }
    }
  }
}

extension SessionEvent.Kind where Payload == Change<Author> {
  /// See ``SessionEvent/penChange(_:)``.
  public static var penChange: Self {
    Self(6, SessionEvent.penChange) { handler in
      { if case .penChange(let change) = $0 { handler(change) } }
    }
  }
}

extension SessionEvent.Kind where Payload == Change<Interest> {
  /// See ``SessionEvent/interestChange(_:)``.
  public static var interestChange: Self {
    Self(7, SessionEvent.interestChange) { handler in
      { if case .interestChange(let change) = $0 { handler(change) } }
    }
  }
}

extension SessionEvent.Kind where Payload == Void {
  /// See ``SessionEvent/willClose``.
  public static var willClose: Self {
    Self(8, { .willClose }) { handler in
      { if case .willClose = $0 { handler(()) } }
    }
  }
}

extension SessionEvent.Kind where Payload == Change<LineCapabilities> {
  /// See ``SessionEvent/capabilitiesChange(_:)``.
  public static var capabilitiesChange: Self {
    Self(9, SessionEvent.capabilitiesChange) { handler in
      { if case .capabilitiesChange(let change) = $0 { handler(change) } }
    }
  }
}
