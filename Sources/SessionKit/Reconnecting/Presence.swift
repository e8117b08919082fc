package import DeviceWatch
package import SerialCore
package import SystemPackage

/// Tells a session that waits for its far end where that is, and when to look again.
///
/// A ``Reconnector`` owns it and calls its methods, from ``start()`` on.
package protocol Presence: AnyObject {
  /// Called with each event, in a turn of the loop.
  var onEvent: (PresenceEvent) -> Void { get set }

  /// Starts to report events.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  func start() throws(Errno)

  /// Looks for the far end, and watches for it until ``endWait()``.
  ///
  /// - Parameter isReleased: whether another program may use it now. Only where it is matters then.
  func find(whileReleased isReleased: Bool) -> PresenceFinding

  /// An attempt to open the far end failed: watches for what may help.
  func didFail(with error: SerialError) -> FailureWatch

  /// The session does not wait any more: watches only for the loss of the far end.
  func endWait()

  /// The session has opened the far end.
  func didOpen(at endpoint: Endpoint)

  /// The session has lost, released or closed the far end.
  func didLeave()

  /// The user has chosen one of the devices that were found.
  func choose(_ device: Device)
}

/// The result of a search for a far end.
package enum PresenceFinding: Hashable {
  /// It is not there.
  case absent
  /// It is there; with its device, if udev knows it.
  case present(Endpoint, Device?)
  /// It is there, and udev will report its device soon.
  case unidentified(Endpoint)
  /// Only the user can tell: each of these devices may be it, or none.
  case lookAlikes([Device])
  /// Only the user can tell: more than one device matches.
  case several([Device])
  /// It cannot be watched.
  case failed(SerialError)
}

/// An event of a far end.
package enum PresenceEvent: Hashable {
  /// The far end may be there now.
  case changed
  /// The far end is there again.
  case appeared
  /// A device was removed; whether it is the far end.
  case removed(isFarEnd: Bool)
  /// Another program has opened or closed the far end.
  case used
}

/// The events that a ``Presence`` reports after a failed attempt to open the far end.
package struct FailureWatch: Hashable {
  /// Whether the watch has just begun: an event before it was missed.
  var isNew = false
  /// Whether a change of the permissions is reported.
  var reportsAccess = false
  /// Whether it is reported that another program closes the port.
  var reportsUse = false

  package init(isNew: Bool = false, reportsAccess: Bool = false, reportsUse: Bool = false) {
    (self.isNew, self.reportsAccess, self.reportsUse) = (isNew, reportsAccess, reportsUse)
  }
}
