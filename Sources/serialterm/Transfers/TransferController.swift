import EventLoop
import Observing
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// Transfers files for `send --protocol` and `receive`: one transfer on an open port, with messages
/// on standard error.
final class TransferController {
  var order: TransferOrder
  private let frontEnd: HeadlessInterface
  /// The bytes that were received before the transfer begins.
  private var early = EarlyBytes()
  private var player: TransferPlayer?
  private var reception: Hub.Subscription?
  private var events: ObservationToken<HeadlessInterface.Event>?
  private var drain: Drain?

  private static let patience = Drain.Patience(total: .seconds(5))

  init(_ order: TransferOrder, _ frontEnd: HeadlessInterface) {
    self.order = order
    self.frontEnd = frontEnd
  }

  /// Runs the transfer to its end.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    // A receiver on the device may already have sent its first request.
    reception = frontEnd.hub.subscribe(as: .view) { [unowned self] bytes, _ in
      if player == nil { early.add(bytes.suffix(1_024)) }
    }
    events = frontEnd.events.observe { [unowned self] in
      guard $0 == .ready else { return }
      do throws(Failure) {
        try begin()
      } catch {
        frontEnd.finish(.failure(error))
      }
    }
    return try frontEnd.run()
  }

  private func begin() throws(Failure) {
    let player = try TransferPlayer(
      order, on: frontEnd.port, loop: frontEnd.loop, outlivesLoss: false,
      onReport: { [unowned self] in show($0) }, onEnd: { [unowned self] in ended($0) })
    self.player = player
    frontEnd.exchange = player
    do throws(SerialError) {
      try player.begin(afterReceiving: early.bytes)
    } catch {
      frontEnd.exchange = nil
      throw Failure(error)
    }
  }

  private func show(_ report: TransferPlayer.Report) {
    let console = frontEnd.console
    if case .status(let status) = report, !console.isQuiet {
      console.screen.setStatus(status.line)
    }
    if let sentence = report.sentence { console.say(sentence) }
  }

  private func ended(_ end: TransferPlayer.End) {
    frontEnd.exchange = nil
    frontEnd.console.screen.setStatus(nil)
    switch end {
    case .done: finish(.success(.done))
    case .failed(let message): finish(.failure(Failure(.transferFailed, message)))
    case .stopped(let message), .cutOff(let message):
      // The session is ending for another reason, which has its own status.
      frontEnd.console.warn(message)
      frontEnd.controller.unsent.transferDidFail()
      frontEnd.finish(.success(.transferFailed))
    }
  }

  /// Ends the session when the last answer has reached the device.
  private func finish(_ outcome: Result<ExitStatus, Failure>) {
    drain = Drain(frontEnd.session, on: frontEnd.loop, patience: Self.patience) { [frontEnd] in
      frontEnd.finish(outcome)
    }
  }
}
