/// Sends messages for a command of a program.
final class JSONMessages: MessageSender {
  private weak var performance: JSONPerformance?
  private let port: JSONPort

  init(of performance: JSONPerformance?, at port: JSONPort) {
    (self.performance, self.port) = (performance, port)
  }

  /// Sends a text. It is done when the driver has sent it, and can be cancelled until then.
  func send(_ text: [UInt8], done: @escaping () -> Void) throws(Failure) {
    let wait = try port.send(text, done: done)
    performance?.wait = wait
  }

  func startRepeating(_ order: RepeatOrder) throws(Failure) {
    guard order.content.byteCount <= JSONCommand.largestPiece else {
      throw Failure(.usage, "repeat: \(JSONCommand.tooMuch)")
    }
    try port.repetition.start(order, at: port.port)
  }

  /// The answer says how it has ended, as the event does.
  func stopRepeating() -> CommandOutcome {
    port.repetition.end(because: .stopped).map { .done($0.sentence) } ?? .done
  }
}
