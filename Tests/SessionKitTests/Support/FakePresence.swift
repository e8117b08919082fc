import DeviceWatch
import SerialCore
import SessionKit
import SystemPackage

/// The presence of a far end that a test controls.
final class FakePresence: Presence {
  var onEvent: (PresenceEvent) -> Void = { _ in }
  /// The result of the next searches.
  var finding = PresenceFinding.absent
  /// What is watched after a failed attempt.
  var failureWatch = FailureWatch()
  private(set) var opened: [Endpoint] = []
  private(set) var leaveCount = 0
  private(set) var chosen: [Device] = []
  /// Whether the session waits, as far as the presence was told.
  private(set) var isWatching = false

  func start() throws(Errno) {}

  func find(whileReleased isReleased: Bool) -> PresenceFinding {
    if !isReleased { isWatching = true }
    return finding
  }

  func didFail(with error: SerialError) -> FailureWatch { failureWatch }
  func endWait() { isWatching = false }
  func didOpen(at endpoint: Endpoint) { opened.append(endpoint) }
  func didLeave() { leaveCount += 1 }
  func choose(_ device: Device) { chosen.append(device) }
}
