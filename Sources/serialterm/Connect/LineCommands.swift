import EventLoop
import SerialCore

/// The commands that change the line, for every sender: the user's keys and palette, and programs
/// that send JSON, and scripts.
///
/// Each command first asks its own availability in the observed state, as the palette does, so that
/// no sender gets another answer than what the palette shows. What takes a moment, a break and a
/// pulse, ends by itself, by ``end()`` or with the port.
final class LineCommands {
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
  }

  // MARK: Settings

  /// Asks the driver for other settings.
  ///
  /// - Parameters:
  ///   - commands: the commands that change them, each of which must be available.
  ///   - then: called once: during the call if the port is of this computer.
  func change(
    by commands: [Command], _ update: (inout LineSettings) -> Void,
    then: @escaping (CommandOutcome) -> Void
  ) {
    for command in commands {
      if let refusal = refusal(of: command) { return then(refusal) }
    }
    var wanted = session.requestedSettings
    update(&wanted)
    session.apply(wanted) { [unowned self, wanted] result in
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
  func sendBreak(
    for length: Duration = breakLength, then: @escaping (CommandOutcome) -> Void
  ) {
    if let refusal = refusal(of: .sendBreak) { return then(refusal) }
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

  /// Asserts and deasserts output lines.
  ///
  /// - Parameters:
  ///   - asserting: of DTR and RTS, those to assert.
  ///   - deasserting: of DTR and RTS, those to deassert; no line may be in both.
  func setLines(asserting: ModemLines, deasserting: ModemLines) -> CommandOutcome {
    refusal(of: .toggleLine) ?? set(asserting: asserting, deasserting: deasserting)
  }

  /// Asserts a line that is deasserted, and the other way round.
  func toggle(_ line: ModemLines) -> CommandOutcome { refusal(of: .toggleLine) ?? flip(line) }

  /// Toggles a line, by default for a tenth of a second. One pulse at a time: a second one ends the
  /// first.
  ///
  /// - Parameter then: called once, when the line is back or could not be toggled; not called when
  ///   the port is closed first.
  func pulse(
    _ line: ModemLines, for length: Duration = pulseLength,
    then: @escaping (CommandOutcome) -> Void
  ) {
    if let refusal = refusal(of: .pulseLine) { return then(refusal) }
    endPulse()
    let outcome = flip(line)
    if outcome.refusal != nil { return then(outcome) }
    let timer = loop.schedule(after: length) { [unowned self] in endPulse() }
    pulseEnd = (line, timer, then)
  }

  private func endPulse() {
    guard let (line, _, then) = pulseEnd else { return }
    pulseEnd = nil
    // Whatever has happened to the command meanwhile, the line goes back to where it was.
    let outcome = flip(line)
    then(outcome.refusal == nil ? .done("\(line) pulsed.") : outcome)
  }

  private func flip(_ line: ModemLines) -> CommandOutcome {
    session.refreshModemLines()
    let isAsserted = session.modemLines?.contains(line) == true
    return isAsserted
      ? set(asserting: [], deasserting: line) : set(asserting: line, deasserting: [])
  }

  private func set(asserting: ModemLines, deasserting: ModemLines) -> CommandOutcome {
    do throws(SerialError) {
      try session.setModemLines(asserting: asserting, deasserting: deasserting)
    } catch {
      return .failed(Failure(error).message)
    }
    return .done(levels)
  }

  /// Reads the modem lines.
  func showLines() -> CommandOutcome {
    if let refusal = refusal(of: .showLines) { return refusal }
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

  /// Forgets a break and a pulse: the port is closed, and they ended with it.
  func forget() {
    breakEnd = nil
    pulseEnd = nil
  }

  private func refusal(of command: Command) -> CommandOutcome? {
    guard case .disabled(let reason) = command.availability(in: model.state) else { return nil }
    return .unavailable(because: reason)
  }
}
