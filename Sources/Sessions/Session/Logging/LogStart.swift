import Logs
import SerialCore

/// Starts the logs of a session once: when the device is present, because a failed start must leave
/// no file behind, and when its profile is known, because that may name them.
final class LogStart {
  private unowned let session: Session
  private let log: SessionLogger
  private var hasStarted = false
  /// Whether to start the logs when the port is open, or is awaited.
  private var isDue = false

  init(_ log: SessionLogger, of session: Session) { (self.log, self.session) = (log, session) }

  /// Starts the logs of a session that is bound. While the port is being opened, it may still fail:
  /// ``stateDidChange(needingDevice:)`` starts them then.
  ///
  /// - Parameter needsDevice: whether the configuration depends on the device.
  func sessionIsBound(needingDevice needsDevice: Bool) throws(SessionError) {
    if case .opening = session.state { return isDue = true }
    isDue = false
    if !needsDevice || session.state.isOpen { try start(at: session.state.endpoint) }
  }

  /// Starts the logs if that was only waiting for the port to be open or awaited, as it is now.
  func stateDidChange(needingDevice needsDevice: () -> Bool) throws(SessionError) {
    if isDue { try sessionIsBound(needingDevice: needsDevice()) }
  }

  /// Starts the logs, unless they were started before.
  func start(at endpoint: Endpoint?) throws(SessionError) {
    guard !hasStarted else { return }
    hasStarted = true
    do throws(LogError) {
      try log.start(at: endpoint)
    } catch {
      throw .log(error)
    }
  }
}
