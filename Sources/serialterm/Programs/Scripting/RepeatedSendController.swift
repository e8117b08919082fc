import EventLoop
import Framing
import Glibc
import Observing
import Patterns
import SerialCore
import Sessions
import Terminal
import Time

/// Sends bytes at intervals: runs the exchange, prints the answers, and sums them up at the end.
final class RepeatedSendController: SendingController {
  var configuration: SendConfiguration
  private let frontEnd: HeadlessInterface
  private var tail = ReceivedTail()
  /// The bytes that were received before the exchange begins.
  private var early = EarlyBytes()
  private var runner: ExchangeRunner<RepeatedRequest>?
  private var failureSearch: FailureSearch?
  private var reception: Hub.Subscription?
  private var events: ObservationToken<HeadlessInterface.Event>?

  /// - Parameter configuration: a configuration with a repetition, whose source is bytes.
  init(_ configuration: SendConfiguration, _ frontEnd: HeadlessInterface) {
    (self.configuration, self.frontEnd) = (configuration, frontEnd)
  }

  func run() throws -> ExitStatus {
    // Before the exchange, whose report has the last bytes.
    reception = frontEnd.hub.subscribe(as: .listener) { [unowned self] bytes, _ in
      tail.encoding = configuration.encoding
      tail.add(bytes)
      if runner == nil { early.add(bytes) }
    }
    events = frontEnd.events.observe { [unowned self] in
      switch $0 {
      case .ready: begin()
      case .ending: sumUp()
      case .lost: if runner?.exchange.isLingering == true { frontEnd.finish(.success(.done)) }
      case .waiting, .room: break
      }
    }
    let status = try frontEnd.run()
    // Without --count, ctrl-c is the way to end it, as for ping(8).
    guard status == .signal(SIGINT), let result else { return status }
    return try frontEnd.port.verdict(on: .success(result)).get()
  }

  private func begin() {
    guard case .bytes(let bytes) = configuration.source, let repetition = configuration.repetition
    else { return frontEnd.finish(.failure(Failure(.usage, "only TEXT can be repeated."))) }
    if let warning = configuration.warning { frontEnd.console.say(warning) }
    let request = RepeatedRequest(
      bytes, every: repetition.interval, count: repetition.count, after: configuration.prompt,
      expecting: configuration.expectation, within: configuration.timeout,
      lingering: Linger(configuration.linger))
    let runner = ExchangeRunner(
      request, on: frontEnd.session, ownedBy: frontEnd.controller.sending,
      receivingFrom: frontEnd.hub, framedBy: configuration.frameForm,
      decodedFrom: configuration.encoding, loop: frontEnd.loop,
      onFrame: { [unowned self] in
        let isText = configuration.frameForm?.isText == true
        tail.add($0, isText: isText)
        failureSearch?.add($0, isText: isText)
        if configuration.expectation == nil { frontEnd.show($0, isText: isText) }
      },
      onReport: { [unowned self] in handleReport($0) }, onEnd: { [unowned self] in ended($0) })
    self.runner = runner
    failureSearch = FailureSearch(
      configuration.failure, in: frontEnd.session, encoding: configuration.encoding,
      on: frontEnd.loop
    ) { [unowned self] in
      frontEnd.finish(.failure(Failure(.otherFailure, tail.message($0))))
    }
    do throws(SerialError) { try runner.begin(afterReceiving: early.bytes) } catch {
      frontEnd.finish(.failure(Failure(error)))
    }
  }

  // MARK: Results

  /// The status of what was sent: whether every answer came, and at least one. Nil if nothing
  /// was sent.
  private var result: ExitStatus? {
    guard let request = runner?.exchange, request.sentCount > 0 else { return nil }
    let isAnswered = request.trips.lossCount == 0 && request.trips.answerCount > 0
    return isAnswered || !request.expectsAnswers ? .done : .timedOut
  }

  private func handleReport(_ report: RepeatedRequest.Report) {
    switch report {
    case .answer(let bytes):
      // Without an expected answer, all frames are printed.
      if configuration.printedGroup == nil, !configuration.printsFrames {
        bytes.withUnsafeBytes { frontEnd.show($0) }
      }
    case .answered(let match):
      if let group = configuration.printedGroup {
        match.line(ofGroup: group).withUnsafeBytes { frontEnd.show($0) }
      }
    case .timedOut(let phase):
      let message = configuration.timeoutMessage(phase, at: frontEnd.port)
      frontEnd.finish(.failure(Failure(.timedOut, tail.message(message))))
    }
  }

  private func ended(_ end: RepeatedRequest.End) {
    failureSearch = nil
    switch end {
    case .done: frontEnd.finish(.success(result ?? .done))
    case .refused(let error): frontEnd.finish(.failure(Failure(error)))
    // The session is already ending, and reports the reason.
    case .cutOff: break
    }
  }

  /// Prints the counts and times, however the program ends.
  private func sumUp() {
    guard let request = runner?.exchange, request.sentCount > 0 else { return }
    frontEnd.console.say(request.summary)
  }
}
