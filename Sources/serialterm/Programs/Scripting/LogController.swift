import Observing
import Posix
import SerialCore
import SystemPackage
import Terminal

/// Logs the bytes of a device until a signal ends it.
///
/// It waits for the device, outlives its absence, lends the port, and sends nothing.
final class LogController {
  private let frontEnd: HeadlessInterface

  init(_ frontEnd: HeadlessInterface) { self.frontEnd = frontEnd }

  /// Runs until a signal.
  ///
  /// - Throws: ``Failure``, and the errors of the loop and of the device source.
  func run() throws -> ExitStatus {
    let ending = FileDescriptor.standardError.isTerminal ? "ctrl-c ends it." : nil
    frontEnd.port.narrator.ending = ending
    let events = frontEnd.events.observe { [unowned self] in
      guard $0 == .ready else { return }
      let session = frontEnd.session
      guard case .open(let path, let settings) = session.state else { return }
      let rate = session.capabilities.contains(.settings) ? " at \(settings)" : ""
      let files = frontEnd.logPaths.map(\.string).joined(separator: ", ")
      frontEnd.console.say("logging \(path)\(rate) to \(files)." + (ending.map { " \($0)" } ?? ""))
    }
    let status = try withExtendedLifetime(events) { try frontEnd.run() }
    // A signal is the normal end. It must not hide that bytes are missing, which
    // was already reported.
    if frontEnd.unloggedCount > 0 { throw Failure(.logFailed, "") }
    return status
  }
}
