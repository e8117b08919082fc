import EventLoop
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// Transfers files for `send --protocol` and `receive`: one transfer on an open port, with messages on standard
/// error.
final class TransferController {
  var order: TransferOrder
  private let frontEnd: HeadlessInterface
  /// The bytes that were received before the transfer begins.
  private var early = EarlyBytes()
  private var player: TransferPlayer?
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
    frontEnd.onReceived = { [unowned self] bytes, _ in
      if player == nil { early.add(bytes.suffix(1_024)) }
    }
    frontEnd.onReady = { [unowned self] in
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
      order, on: frontEnd.port, loop: frontEnd.loop, outlivesLoss: false)
    self.player = player
    let console = frontEnd.console
    let isQuiet = console.isQuiet
    player.tell { console.say($0) }
    player.onStatus = { if !isQuiet { console.screen.setStatus($0.line) } }
    player.onEnd = { [unowned self] in ended($0) }
    frontEnd.exchange = player
    do throws(SerialError) {
      try player.begin(afterReceiving: early.bytes)
    } catch {
      frontEnd.exchange = nil
      throw Failure(error)
    }
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
