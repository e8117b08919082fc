import EventLoop
import Glibc
import Observing
import Options
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools
import Time

/// The ways in which an interactive session ends: the user quits, the input ends, the output is
/// gone. What was typed is sent first.
final class Leaving {
  private let app: App
  private let focus: PortFocus
  private let keyboard: Keyboard
  /// Asks the user before something is cut off.
  private(set) lazy var questions = SessionQuestions(with: keyboard, at: focus, in: app) {
    [unowned self] in leave()
  }
  /// Whether the user has quit, and only what was sent before is still waited for.
  @Observed private(set) var isLeaving = false
  private var drains: [Drain] = []
  private var lingerTimer: LoopTimer?
  /// Waits until standard output has accepted everything.
  private var drainedOutput: ObservationToken<OutputChannel.Event>?
  private var inputFailure: Failure?
  /// The time by which the program should have ended after the user has quit.
  private var deadline: MonotonicTime?

  /// The maximum time for the user's terminal to show the remaining output.
  static let showPatience = Duration.milliseconds(200)
  /// The maximum time from the quit key to the end of the program.
  private static let limit = Duration.milliseconds(450)

  init(_ keyboard: Keyboard, at focus: PortFocus, in app: App) {
    (self.keyboard, self.focus, self.app) = (keyboard, focus, app)
  }

  private var console: Console { app.console }
  private var configuration: ConnectConfiguration { focus.port.configuration }

  /// Ends the session. If that would cut off a file, a script or a program, the user
  /// is asked first.
  func quit() {
    if app.ports.allSatisfy({ $0.session.mayClose() }) { leave() }
  }

  /// Ends the session when the device has taken what was typed, or a time limit has passed.
  func leave() {
    isLeaving = true
    deadline = app.loop.now + max(Self.limit, configuration.quitDrain)
    for port in app.ports { port.controller.sending.exchange?.leave() }
    finishAfterSending(patience: Drain.Patience(total: configuration.quitDrain))
  }

  /// Handles the end of the input.
  ///
  /// - Parameter error: the error of a failed read; nil at the end of the file.
  func inputEnded(_ error: Errno?) {
    if let error { inputFailure = Failure(inputFailed: error) }
    if keyboard.terminal != nil {
      // The user's terminal is gone. The kernel also reports this by SIGHUP to the leader
      // of a session.
      return app.finish(.success(.signal(SIGHUP)))
    }
    keyboard.input.stop()
    if configuration.values[KeyboardParameters.readOnly] && keyboard.refusals.total == 0 {
      console.say(
        "standard input is empty, so the session ends. To keep logging, use 'serialterm log'.")
    }
    // Even if there is nothing to send, a reset of the device must be finished.
    focus.port.controller.sequences.afterwards { [unowned self] in
      finishAfterSending(patience: nil, thenWaitingFor: configuration.linger)
    }
  }

  /// Handles an output that cannot be written any more.
  func outputIsGone(_ error: Errno) {
    let isTerminal = console.isOutputTerminal
    app.finish(isTerminal ? .success(.signal(SIGHUP)) : .failure(Failure(outputGone: error)))
  }

  /// Ends when the drivers have sent everything, or when the time limit has passed.
  private func finishAfterSending(
    patience: Drain.Patience?, thenWaitingFor linger: Duration = .zero
  ) {
    keyboard.input.stop()
    var unfinished = app.ports.count
    drains = app.ports.map { port in
      Drain(port.session, on: app.loop, patience: patience) { [unowned self] in
        unfinished -= 1
        if unfinished == 0 { waitForAnswer(linger) }
      }
    }
  }

  /// Ends after a while, and when a pipe has taken everything. The time that the pipe holds the
  /// program up is not counted.
  private func waitForAnswer(_ linger: Duration) {
    lingerTimer = app.loop.schedule(after: linger) { [unowned self] in
      guard !console.isOutputTerminal, !console.isDrained else {
        return app.finish(.success(.done))
      }
      drainedOutput = console.outputEvents.observe { [unowned self] in
        guard $0 == .drained else { return }
        drainedOutput = nil
        waitForAnswer(linger)
      }
    }
  }

  /// Returns the outcome of the program: a failure of the input, or refused bytes of a pipe,
  /// replace a successful end.
  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure> {
    guard case .success(let status) = outcome, status == .done || status == .otherFailure else {
      return outcome
    }
    if let inputFailure { return .failure(inputFailure) }
    // This was already reported on the way out.
    if keyboard.terminal == nil && keyboard.refusals.total > 0 {
      return .failure(Failure(.otherFailure, ""))
    }
    return outcome
  }

  /// The time that is left for the user's terminal to show the remaining output.
  var showPatience: Duration {
    guard let deadline else { return Self.showPatience }
    return min(max(deadline - app.loop.now, .milliseconds(50)), Self.showPatience)
  }
}
