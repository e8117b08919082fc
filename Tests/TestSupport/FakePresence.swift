package import DeviceWatch
package import Observing
package import Reconnecting
package import SerialCore
package import SystemPackage

/// The presence of a far end that a test controls.
package final class FakePresence: Presence {
  package let events = Observable<PresenceEvent>()
  /// The result of the next searches.
  package var finding = PresenceFinding.absent
  /// The events that are watched after a failed attempt.
  package var failureWatch = FailureWatch()
  package private(set) var opened: [Endpoint] = []
  package private(set) var leaveCount = 0
  package private(set) var chosen: [Device] = []
  /// Whether the session waits.
  package private(set) var isWatching = false

  package init() {}

  package func start() throws(Errno) {}

  package func find(whileReleased isReleased: Bool) -> PresenceFinding {
    if !isReleased { isWatching = true }
    return finding
  }

  package func didFail(with error: SerialError) -> FailureWatch { failureWatch }
  package func endWait() { isWatching = false }
  package func didOpen(at endpoint: Endpoint) { opened.append(endpoint) }
  package func didLeave() { leaveCount += 1 }
  package func choose(_ device: Device) { chosen.append(device) }
}
