import EventLoop
import Observing
import Terminal

/// Sends a text at intervals for the user, as a snippet is sent, or bytes as hexadecimal input, to
/// the port with the focus.
final class SessionRepetition {
  private let focus: PortFocus
  private let keyboard: Keyboard
  private let leaving: Leaving
  private let app: App
  private lazy var repetition = TextRepetition(
    on: app.loop,
    send: { [keyboard] message, isFirst throws(Failure) in
      // The first one shows the checksum. The same would follow at each interval.
      try keyboard.send(message, showsChecksum: isFirst)
    },
    onEnd: { [app] port, end in app.console.say(port.named(end.sentence)) })
  private var observations: [AnyObject] = []

  init(at focus: PortFocus, _ keyboard: Keyboard, _ leaving: Leaving, in app: App) {
    (self.focus, self.keyboard, self.leaving, self.app) = (focus, keyboard, leaving, app)
  }

  /// Sends a text now and at each interval. Another one ends.
  ///
  /// - Throws: ``Failure`` if it cannot be sent now.
  func start(_ order: RepeatOrder) throws(Failure) {
    if observations.isEmpty {
      observations = [
        focus.$port.observe { [unowned self] _ in repetition.end(because: .otherPort) },
        leaving.$isLeaving.observe { [unowned self] _ in repetition.end(because: .ending) },
      ]
    }
    try repetition.start(order, at: focus.port.port)
  }

  /// Ends the repetition if one runs, and reports the reason and what was sent.
  func end(because reason: Reason) { repetition.end(because: reason) }
}
