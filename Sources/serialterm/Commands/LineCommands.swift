import EventLoop
import Observing
import SerialCore

/// Changes the line of a session: its settings, its modem lines, and breaks. The commands check
/// first whether a change is available.
///
/// Breaks and pulses take time. They end by a timer, by ``end()``, when another member gets the
/// pen, or when the port is closed.
final class LineCommands {
  private let session: Session
  /// Ends a break and a pulse when the port is closed.
  private var stateChanges: ObservationToken<SessionEvent>?
  private let model: TerminalStateModel
  private let loop: IOLoop
  /// The break that is being sent; nil if there is none.
  private var breakEnd: (line: Session.Break, timer: LoopTimer, then: (CommandOutcome) -> Void)?
  /// The line that is being pulsed; nil if there is none.
  private var pulseEnd: (line: ModemLines, timer: LoopTimer, then: (CommandOutcome) -> Void)?

  private var changes: ObservationToken<Change<TerminalState>>?

  /// The length of a break if none is given: tcsendbreak(3) sends 250 ms to 500 ms.
  static let breakLength = Duration.milliseconds(250)
  /// The length of a pulse of a modem line. A shorter one is enough to reset most boards.
  static let pulseLength = Duration.milliseconds(100)

  init(_ session: Session, _ model: TerminalStateModel, on loop: IOLoop) {
    self.session = session
    self.model = model
    self.loop = loop
    stateChanges = session.observe(.stateChange, rank: .line) { [unowned self] in
      if $0.old.isOpen && !$0.new.isOpen { (breakEnd, pulseEnd) = (nil, nil) }
    }
    changes = model.$state.observe { [unowned self] in
      if $0.old.sharing.penReason == nil, $0.new.sharing.penReason != nil { end() }
    }
  }

  // MARK: Settings

  /// Requests other settings from the driver.
  ///
  /// - Parameter then: called once; during this call if the port belongs to this computer.
  func perform(_ change: SettingsChange, then: @escaping (CommandOutcome) -> Void) {
    let wanted = change.applied(to: session.requestedSettings)
    session.apply(wanted) { [unowned self] result in
      switch result {
      case .failure(let error):
        then(.failed("\(Failure(error).message) The settings stay as they were."))
      case .success(let actual):
        // If the driver changed nothing, the session reports no change of state.
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
  /// - Parameter then: called once, when the break has ended or could not be sent. It is not called
  ///   if the port is closed before.
  func sendBreak(for length: Duration, then: @escaping (CommandOutcome) -> Void) {
    endBreak()
    let line: Session.Break
    do throws(SerialError) {
      line = try session.beginBreak()
    } catch {
      return then(.failed(Failure(error).message))
    }
    breakEnd = (line, loop.schedule(after: length) { [unowned self] in endBreak() }, then)
  }

  private func endBreak() {
    guard let then = breakEnd?.then else { return }
    breakEnd = nil
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

  /// Toggles a line for a moment. There is one pulse at a time: a second one ends the first.
  ///
  /// A port whose far end plays sequences pulses the line itself.
  ///
  /// - Parameter then: called once, when the line is back in its old state or could not be toggled.
  ///   It is not called if the port is closed before.
  func perform(_ pulse: LinePulse, then: @escaping (CommandOutcome) -> Void) {
    endPulse()
    let sequence = sequence(of: pulse)
    // The far end restores the line if another member gets the pen: it knows that this
    // is one pulse.
    if session.canPlay(sequence), LineSequence.waits.contains(Int(pulse.length / .milliseconds(1)))
    {
      return session.play(sequence) { result in
        switch result {
        case .success: then(.done("\(pulse.line) pulsed."))
        case .failure(let error): then(.failed(Failure(error).message))
        }
      }
    }
    let outcome = perform(LineChange(toggling: pulse.line))
    if outcome.refusal != nil { return then(outcome) }
    let timer = loop.schedule(after: pulse.length) { [unowned self] in endPulse() }
    pulseEnd = (pulse.line, timer, then)
  }

  private func sequence(of pulse: LinePulse) -> LineSequence {
    session.refreshModemLines()
    let asserted = pulse.line.intersection(session.modemLines ?? [])
    let deasserted = pulse.line.subtracting(asserted)
    return LineSequence([
      .set(asserting: deasserted, deasserting: asserted), .wait(pulse.length),
      .set(asserting: asserted, deasserting: deasserted),
    ])
  }

  private func endPulse() {
    guard let (line, _, then) = pulseEnd else { return }
    pulseEnd = nil
    // The line is restored even if the command has become unavailable.
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
      "\(name) \(lines.contains(line).onOff)"
    }
    return words.joined(separator: ", ") + "."
  }

  // MARK: The end

  /// Ends a break and a pulse now, because the port is about to be closed.
  func end() {
    endBreak()
    endPulse()
  }
}
