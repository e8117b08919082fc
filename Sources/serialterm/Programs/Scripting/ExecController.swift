import Glibc
import Observing
import Reconnecting
import SerialCore
import Sessions

/// Connects a command's standard input and output to the port, until the command ends.
final class ExecController: InputSender {
  private let frontEnd: HeadlessInterface
  private let command: String
  private lazy var program = PortProgram(
    command, by: .program, in: .program, on: frontEnd.controller, loop: frontEnd.loop
  ) { [unowned self] in
    if case .ended(let outcome) = $0 { ended(outcome) }
  }
  private var events: ObservationToken<HeadlessInterface.Event>?
  private var drain: Drain?

  init(_ command: String, _ frontEnd: HeadlessInterface) {
    self.command = command
    self.frontEnd = frontEnd
  }

  /// Runs the command and returns its exit status.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    events = frontEnd.events.observe { [unowned self] in
      guard $0 == .ready else { return }
      do throws(Failure) {
        try start()
      } catch {
        frontEnd.finish(.failure(error))
      }
    }
    return try frontEnd.run()
  }

  var unreadInputCount: Int { program.unreadOutputCount }

  private func start() throws(Failure) {
    frontEnd.inputSender = self
    // A signal to this process, or the loss of the device, ends the command too.
    try program.begin()
  }

  /// Ends the session after the driver has sent the command's output.
  private func ended(_ outcome: PortProgram.Outcome) {
    // Otherwise the session is already ending, and reports the reason.
    guard case .ended(let status) = outcome.reason else { return }
    drain = Drain(frontEnd.session, on: frontEnd.loop, patience: nil) { [frontEnd] in
      // Only .done lets gaps in the log and a running line sequence change the exit status.
      frontEnd.finish(.success(status == .command(0) ? .done : status))
    }
  }
}
