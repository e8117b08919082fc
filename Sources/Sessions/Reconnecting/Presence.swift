package import DeviceWatch
package import Observing
package import SerialCore
package import SystemPackage

/// Finds the far end that a session waits for, and reports when to look again.
///
/// A ``Reconnector`` owns it and calls its methods, from ``start()`` on.
package protocol Presence: AnyObject {
  /// What happens to the far end, from ``start()`` on, in turns of the loop.
  var events: Observable<PresenceEvent> { get }

  /// Starts to report events.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  func start() throws(Errno)

  /// Looks for the far end, and watches for it until ``endWait()``.
  ///
  /// - Parameter isReleased: whether another program may use it now. Then only its path matters.
  func find(whileReleased isReleased: Bool) -> PresenceFinding

  /// Reports that an attempt to open the far end failed, and watches for events that
  /// may change that.
  func didFail(with error: SerialError) -> FailureWatch

  /// Ends the wait: from now on only the loss of the far end is watched.
  func endWait()

  /// Reports that the session has opened the far end.
  func didOpen(at endpoint: Endpoint)

  /// Reports that the session has lost, released or closed the far end.
  func didLeave()

  /// Reports that the user has chosen one of the devices that were found.
  func choose(_ device: Device)
}

/// The result of a search for a far end.
package enum PresenceFinding: Hashable {
  /// The far end is not there.
  case absent
  /// The far end is there. The device is nil if udev does not know it.
  case present(Endpoint, Device?)
  /// The far end is there, and udev will report its device soon.
  case unidentified(Endpoint)
  /// Similar devices are there. Only the user can tell whether one of them is the far end.
  case lookAlikes([Device])
  /// More than one device matches. Only the user can choose.
  case several([Device])
  /// The far end cannot be watched.
  case failed(SerialError)
}

/// An event of a far end.
package enum PresenceEvent: Hashable {
  /// The far end may be there now.
  case changed
  /// The far end is there again.
  case appeared
  /// A device was removed. The value is whether that was the far end.
  case removed(isFarEnd: Bool)
  /// Another program has opened or closed the far end.
  case used
}

/// The events that a ``Presence`` reports after a failed attempt to open the far end.
package struct FailureWatch: Hashable {
  /// Whether the watch has just begun. An earlier event was then missed.
  var isNew = false
  /// Whether a change of the permissions is reported.
  var reportsAccess = false
  /// Whether it is reported when another program closes the port.
  var reportsUse = false

  package init(isNew: Bool = false, reportsAccess: Bool = false, reportsUse: Bool = false) {
    (self.isNew, self.reportsAccess, self.reportsUse) = (isNew, reportsAccess, reportsUse)
  }
}
