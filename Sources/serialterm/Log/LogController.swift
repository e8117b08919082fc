import SerialCore
import SystemPackage

/// Logs what a device sends until a signal ends it.
///
/// It waits for the device, survives its absence, lends the port, and sends nothing.
final class LogController {
  private let unattended: UnattendedSession

  init(_ unattended: UnattendedSession) { self.unattended = unattended }

  /// Runs until a signal.
  ///
  /// - Throws: ``Failure``, and the errors of the loop and of the device source.
  func run() throws -> ExitStatus {
    unattended.onReady = { [unowned self] in
      guard case .open(let path, let settings) = unattended.session.state else { return }
      let files = unattended.logPaths.map(\.string).joined(separator: ", ")
      unattended.console.say("logging \(path) at \(settings) to \(files).")
    }
    let status = try unattended.run()
    // A signal is the normal end: it must not hide that bytes are missing, which was said before.
    if unattended.unloggedCount > 0 { throw Failure(.logFailed, "") }
    return status
  }
}
