import Encodings
import EventLoop
import Observing
import Patterns
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// Transfers files for `send --protocol` and `receive`: one transfer on an open port, with messages
/// on standard error.
final class TransferController {
  var configuration: TransferConfiguration
  private let frontEnd: HeadlessInterface
  /// The bytes that were received before the transfer begins.
  private var early = EarlyBytes()
  private var player: TransferPlayer?
  private var reception: Hub.Subscription?
  /// The last bytes. A transfer gets the bytes alone.
  private var tail = ReceivedTail()
  private var received: ObservationToken<SessionEvent>?
  private var failureSearch: FailureSearch?
  private lazy var progress = ProgressDisplay(configuration.progress, on: frontEnd.console)
  private var events: ObservationToken<HeadlessInterface.Event>?
  private var drain: Drain?

  private static let patience = Drain.Patience(total: .seconds(5))

  init(_ configuration: TransferConfiguration, _ frontEnd: HeadlessInterface) {
    self.configuration = configuration
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
    received = frontEnd.session.observe(.received) { [unowned self] in tail.add($0) }
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
    tail.encoding = configuration.encoding
    let player = try TransferPlayer(
      configuration.order, on: frontEnd.port, loop: frontEnd.loop,
      answerLimit: configuration.answerLimit, outlivesLoss: false,
      stopReason: { [unowned frontEnd] in frontEnd.stopReason },
      onReport: { [unowned self] in show($0) }, onEnd: { [unowned self] in ended($0) })
    self.player = player
    failureSearch = FailureSearch(
      configuration.failure, in: frontEnd.session, encoding: configuration.encoding,
      on: frontEnd.loop
    ) { [unowned self] in fail(.otherFailure, $0) }
    progress.show(player.status)
    do throws(SerialError) {
      try player.begin(afterReceiving: early.bytes)
    } catch {
      throw Failure(error)
    }
  }

  private func show(_ report: TransferPlayer.Report) {
    if case .status(let status) = report { progress.show(status) }
    if case .file = report { progress.end() }
    if let sentence = report.sentence { frontEnd.console.say(sentence) }
  }

  private func ended(_ end: TransferPlayer.End) {
    progress.end()
    failureSearch = nil
    switch end {
    case .done: finish(.success(.done))
    case .failed(let message): finish(.failure(Failure(.transferFailed, message)))
    case .timedOut(let message): fail(.timedOut, message)
    case .stopped(let message), .cutOff(let message):
      // The session is ending for another reason, which has its own status.
      frontEnd.console.warn(message)
      frontEnd.controller.sending.transferDidFail()
      frontEnd.finish(.success(.transferFailed))
    }
  }

  private func fail(_ status: ExitStatus, _ message: String) {
    frontEnd.finish(.failure(Failure(status, tail.message(message))))
  }

  /// Ends the session when the last answer has reached the device.
  private func finish(_ outcome: Result<ExitStatus, Failure>) {
    drain = Drain(frontEnd.session, on: frontEnd.loop, patience: Self.patience) { [frontEnd] in
      frontEnd.finish(outcome)
    }
  }
}

/// Configuration of `send --protocol` and `receive`.
struct TransferConfiguration {
  let order: TransferOrder
  let progress: ProgressDisplay.Style
  /// The time limit for the text that `--wait-for` waits for.
  var answerLimit: Duration?
  /// The text that means a failure; nil for none.
  var failure: ExpectedPattern?
  /// The encoding of the device's text.
  var encoding = Encoding.utf8
}
