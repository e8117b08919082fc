import EventLoop
import SerialCore

/// Changes the line of a session: its settings, its modem lines, breaks. The commands decide before
/// whether that is available.
///
/// What takes a moment, a break and a pulse, ends by itself, by ``end()`` or with the port.
final class LineCommands: SessionObserver {
  private let session: Session
  private let model: TerminalStateModel
  private let loop: IOLoop
  /// The break that is being sent, with its end.
  private var breakEnd: (timer: LoopTimer, then: (CommandOutcome) -> Void)?
  /// The line that is toggled for a moment, with its end.
  private var pulseEnd: (line: ModemLines, timer: LoopTimer, then: (CommandOutcome) -> Void)?

  /// The length of a break unless another one is asked for; see tcsendbreak(3): 250 ms to 500 ms.
  static let breakLength = Duration.milliseconds(250)
  /// The length of a pulse of a modem line: boards are reset by less.
  static let pulseLength = Duration.milliseconds(100)

  init(_ session: Session, _ model: TerminalStateModel, on loop: IOLoop) {
    self.session = session
    self.model = model
    self.loop = loop
    session.addObserver(self, of: .stateChange)
  }

  // MARK: Settings

  /// Asks the driver for other settings.
  ///
  /// - Parameter then: called once: during the call if the port is of this computer.
  func perform(_ change: SettingsChange, then: @escaping (CommandOutcome) -> Void) {
    let wanted = change.applied(to: session.requestedSettings)
    session.apply(wanted) { [unowned self] result in
      switch result {
      case .failure(let error):
        then(.failed("\(Failure(error).message) The settings stay as they were."))
      case .success(let actual):
        // Where the driver changed nothing, the session has no change of state to report.
        model.update { $0.requestedSettings = wanted }
        then(Self.outcome(of: wanted, actual))
      }
    }
  }

  private static func outcome(of wanted: LineSettings, _ actual: LineSettings) -> CommandOutcome {
    let differences = wanted.differences(from: actual).map {
      "\($0.setting) \($0.actual) instead of \($0.requested)"
    }
    return .done(
      differences.isEmpty
        ? "Now \(actual)." : "Now \(actual): the driver set \(differences.joined(separator: ", "))."
    )
  }

  // MARK: Break

  /// Sends a break.
  ///
  /// - Parameter then: called once, when the break has ended or could not be sent; not called when
  ///   the port is closed first.
  func sendBreak(for length: Duration, then: @escaping (CommandOutcome) -> Void) {
    endBreak()
    do throws(SerialError) {
      try session.setBreak(true)
    } catch {
      return then(.failed(Failure(error).message))
    }
    breakEnd = (loop.schedule(after: length) { [unowned self] in endBreak() }, then)
  }

  private func endBreak() {
    guard let then = breakEnd?.then else { return }
    breakEnd = nil
    // The device may have gone just now, and the break with it.
    _ = try? session.setBreak(false)
    then(.done("Break sent."))
  }

  // MARK: Modem lines

  /// Asserts, deasserts and toggles output lines, and answers with the levels of all lines.
  func perform(_ change: LineChange) -> CommandOutcome {
    var change = change
    if !change.toggling.isEmpty {
      session.refreshModemLines()
      let asserted = change.toggling.intersection(session.modemLines ?? [])
      change.asserting.formUnion(change.toggling.subtracting(asserted))
      change.deasserting.formUnion(asserted)
    }
    do throws(SerialError) {
      try session.setModemLines(asserting: change.asserting, deasserting: change.deasserting)
    } catch {
      return .failed(Failure(error).message)
    }
    return .done(levels)
  }

  /// Toggles a line for a moment. One pulse at a time: a second one ends the first.
  ///
  /// - Parameter then: called once, when the line is back or could not be toggled; not called when
  ///   the port is closed first.
  func perform(_ pulse: LinePulse, then: @escaping (CommandOutcome) -> Void) {
    endPulse()
    let outcome = perform(LineChange(toggling: pulse.line))
    if outcome.refusal != nil { return then(outcome) }
    let timer = loop.schedule(after: pulse.length) { [unowned self] in endPulse() }
    pulseEnd = (pulse.line, timer, then)
  }

  private func endPulse() {
    guard let (line, _, then) = pulseEnd else { return }
    pulseEnd = nil
    // The line goes back even if the command has become unavailable since.
    let outcome = perform(LineChange(toggling: line))
    then(outcome.refusal == nil ? .done("\(line) pulsed.") : outcome)
  }

  /// Reads the modem lines.
  func showLines() -> CommandOutcome {
    session.refreshModemLines()
    return .done(levels)
  }

  private var levels: String {
    let lines = session.modemLines ?? []
    let words = ModemLines.named.map { name, line in
      "\(name) \(lines.contains(line) ? "asserted" : "deasserted")"
    }
    return words.joined(separator: ", ") + "."
  }

  // MARK: The end

  /// Ends a break and a pulse now: the port is about to be closed.
  func end() {
    endBreak()
    endPulse()
  }

  /// A break and a pulse end with the port.
  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    guard old.isOpen && !new.isOpen else { return }
    breakEnd = nil
    pulseEnd = nil
  }
}
