import EventLoop
import Observing
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools
import Time

/// Runs scripts: the one of `--script`, which runs before the user has the port, and those that
/// the user runs.
final class SessionScripts {
  /// The script that runs when the first port is open for the first time; nil when it has started.
  private(set) var openingScript: Script?

  private let focus: PortFocus
  private let transfers: SessionTransfers
  private let questions: SessionQuestions
  private let pipe: PipeStart
  /// Whether a user sees the messages.
  private let hasUser: Bool
  private let app: App
  private var timer: LoopTimer?
  private var stateChanges: AnyObject?

  /// - Parameter openingScript: the script of `--script`; nil for none.
  init(
    _ openingScript: Script?, of focus: PortFocus, _ transfers: SessionTransfers,
    _ questions: SessionQuestions, _ pipe: PipeStart, hasUser: Bool, in app: App
  ) {
    self.openingScript = openingScript
    (self.focus, self.transfers, self.questions, self.pipe) = (focus, transfers, questions, pipe)
    (self.hasUser, self.app) = (hasUser, app)
  }

  /// Runs the script of `--script` as soon as the first port is open. It is not run again after the
  /// port was lost.
  func begin() {
    guard openingScript != nil else { return }
    stateChanges = focus.ports[0].model.$state.observe(\.session.isOpen) { [unowned self] _ in
      startOpeningScript()
    }
    startOpeningScript()
  }

  private func startOpeningScript() {
    let port = focus.ports[0]
    guard openingScript != nil, timer == nil, port.model.state.session.isOpen else { return }
    // In another turn of the loop, so that waiting bytes are read first.
    timer = app.loop.schedule(after: .zero) { [unowned self] in
      timer = nil
      // The port was lost immediately: the script runs when the device returns.
      guard let script = openingScript, port.model.state.session.isOpen, app.outcome == nil else {
        return
      }
      openingScript = nil
      if let reason = Need.toSend.unmet(in: port.model.state) {
        return scriptFailed("\(script.shortName) was not run: \(reason).", .otherFailure, at: port)
      }
      do throws(Failure) {
        try run(script, at: port)
      } catch {
        scriptFailed(error.message, error.status, at: port)
      }
    }
  }

  /// Runs a script at the port with the focus.
  ///
  /// - Throws: ``Failure`` if it cannot be read or contains a mistake.
  func run(script path: FilePath) throws(Failure) {
    // The focus may move while the script runs.
    let script = try Script(ofUser: path)
    try script.checkFrames(isFramed: focus.port.port.model.state.view.frames != nil)
    try run(script, at: focus.port)
  }

  private func run(_ script: Script, at port: PortPresenter) throws(Failure) {
    let player = ScriptPlayer(
      script.dialogue, named: script.shortName, framedBy: port.port.model.state.view.frames,
      on: port.port, loop: app.loop,
      isHeldUp: { [app] in app.console.isCrowded },
      onEvent: { [unowned self, unowned port] in handle($1, of: $0, at: port) })
    sayToUser("running \(player.name); ctrl-c stops.", about: port)
    do throws(ScriptFailure) {
      try player.begin(by: Author(.script, player.name))
    } catch {
      throw Failure(error)
    }
  }

  private func handle(
    _ event: ScriptPlayer.Event, of player: ScriptPlayer, at port: PortPresenter
  ) {
    switch event {
    case .step(let step):
      port.model.update { $0.progress = .line(step.line) }
      sayToUser("\(player.name):\(step.line): \(step.words)", about: port)
    case .timedOut(let message, let losesBytes):
      // Lost bytes are a reason for a message between pipes too.
      if losesBytes {
        app.console.warn(port.port.named(player.named(message)))
      } else {
        sayToUser(player.named(message), about: port)
      }
    case .print(let line):
      let text = String(decoding: line.dropLast(), as: UTF8.self)
      app.console.answer([port.port.named(text)])
    case .transfer(let report): transfers.show(report, at: port)
    case .ended(let end): scriptEnded(player, end, at: port)
    // The views get them too.
    case .received, .frame, .roundMatched: break
    }
  }

  private func scriptEnded(
    _ player: ScriptPlayer, _ end: ScriptPlayer.End, at port: PortPresenter
  ) {
    questions.exchangeDidEnd()
    let place = player.step.map { " at line \($0.line): \($0.name)" } ?? ""
    switch end {
    case .done:
      let time = player.start.map { (app.loop.now - $0).inTenths } ?? "0.0"
      sayToUser("\(player.name) has ended after \(time) s.", about: port)
      pipe.start()
    case .failed(let failure):
      if !hasUser { return app.finish(.failure(Failure(failure))) }
      // The bytes of the device are on the screen.
      app.console.warn(port.port.named("\(failure.place): \(failure.message)"))
    case .stopped(let unsentCount):
      app.console.warn(port.port.named("\(player.name) was stopped\(place)."))
      port.controller.sending.reportUnsent(unsentCount)
    case .cutOff:
      scriptFailed("\(player.name) was cut off\(place).", .deviceLost, at: port)
    }
  }

  /// Prints a message for a user. Between pipes nothing is printed if everything is as expected.
  private func sayToUser(_ text: String, about port: PortPresenter) {
    if hasUser { port.say(text) }
  }

  /// Handles a failed script. A user continues with the session. A pipe does not: it needs a device
  /// on which the script has run.
  private func scriptFailed(_ message: String, _ status: ExitStatus, at port: PortPresenter) {
    if !hasUser, app.outcome == nil { return app.finish(.failure(Failure(status, message))) }
    app.console.warn(port.port.named(message))
  }
}
