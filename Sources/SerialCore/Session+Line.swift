internal import Observing

/// Settings, breaks, modem lines and counters.
extension Session {
  /// Changes the settings: of the port if it is open, and for every later opening.
  ///
  /// - Parameters:
  ///   - settings: the settings.
  ///   - answer: called once: with the settings that the driver reports, or with an error; the old
  ///     settings are in effect then. A port of this computer answers during the call, others may
  ///     answer later. If the port is closed first, the error is `lost`. While no port is open, the
  ///     answer is the requested settings.
  public func apply(
    _ settings: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void
  ) {
    do throws(SerialError) {
      try settings.checkBaudRate(at: namedEndpoint)
    } catch {
      return answer(.failure(error))
    }
    guard let line else {
      requestedSettings = settings
      return answer(.success(settings))
    }
    let link = line.link
    guard line.probe.capabilities.contains(.settings) else {
      return answer(
        .failure(SerialError(.unsupported, in: "apply", at: link.endpoint, subject: "settings")))
    }
    line.expectSettings(answer)
    link.apply(settings) { [unowned self, unowned link] result in
      guard let line = self.line, line.link === link else { return }
      let answer = line.takeSettingsAnswer()
      if case .success(let actual) = result {
        requestedSettings = settings
        line.appliesSettings = true
        transition(on: .settingsChanged(actual))
        line.appliesSettings = false
      }
      answer(result)
    }
  }

  /// Whether a change of the settings that is being announced is one of ``apply(_:answer:)``. The
  /// far end has made any other.
  package var appliesSettings: Bool { line?.appliesSettings ?? false }

  /// Changes the settings, as ``apply(_:answer:)`` does.
  ///
  /// - Throws: ``SerialError``, if the answer comes during the call, as from every port of this
  ///   computer; the old settings are in effect then.
  public func apply(_ settings: LineSettings) throws(SerialError) {
    var failure: SerialError?
    apply(settings) { if case .failure(let error) = $0 { failure = error } }
    if let failure { throw failure }
  }

  /// Starts or ends a break condition.
  ///
  /// - Throws: ``SerialError``: `notOpen`, `unsupported`, or the driver's error.
  public func setBreak(_ isOn: Bool) throws(SerialError) {
    guard let line else { throw notOpen(in: "break") }
    // A break that other code has begun goes on until that code ends it.
    guard isOn || line.breakCount == 0 else { return }
    try line.link.setBreak(isOn)
  }

  /// Starts a break condition that belongs to the caller: no other code ends it.
  ///
  /// - Returns: the break, which ends when it is released. The line is in break while there is any.
  /// - Throws: ``SerialError``: `notOpen`, `unsupported`, or the driver's error.
  package func beginBreak() throws(SerialError) -> Break {
    guard let line else { throw notOpen(in: "break") }
    try line.link.setBreak(true)
    line.breakCount += 1
    return Break(of: self, on: line)
  }

  fileprivate func endBreak(on line: OpenLine) {
    // The break has ended with the port.
    guard line === self.line else { return }
    line.breakCount -= 1
    // The device, and the break with it, may have disappeared just now.
    if line.breakCount == 0 { _ = try? line.link.setBreak(false) }
  }

  /// A break condition, until it is released.
  package final class Break {
    private weak var session: Session?
    private weak var line: OpenLine?

    fileprivate init(of session: Session, on line: OpenLine) {
      (self.session, self.line) = (session, line)
    }

    deinit { end() }

    /// Ends the break. Calling it again, or after the port was closed, does nothing.
    package func end() {
      if let line { session?.endBreak(on: line) }
      (session, line) = (nil, nil)
    }
  }

  /// Reads the modem lines, and notifies observers if they differ from ``modemLines``.
  ///
  /// No descriptor becomes ready when a line changes: a program that shows the lines calls this
  /// periodically. It can take as long as a USB transfer. It does nothing if the port has no modem
  /// lines or they cannot be read; that a device is gone is reported through its descriptor.
  public func refreshModemLines() {
    if let lines = try? link?.modemLines() { update(modemLines: lines) }
  }

  /// Notes modem lines, and notifies observers if they differ from those before.
  func update(modemLines new: ModemLines) {
    guard let line, let old = line.probe.modemLines, old != new else { return }
    line.probe.modemLines = new
    notify(.modemLinesChange, Change(from: old, to: new))
  }

  /// Sets output lines, first those to deassert, and reads all of them back.
  ///
  /// With hardware flow control, the driver sets RTS itself.
  ///
  /// - Parameters:
  ///   - asserting: the lines to assert, from ``ModemLines/outputs``.
  ///   - deasserting: the lines to deassert, from ``ModemLines/outputs``; no line may be in both.
  /// - Throws: ``SerialError``: `notOpen`, `unsupported`, or the driver's error.
  public func setModemLines(
    asserting: ModemLines = [], deasserting: ModemLines = []
  ) throws(SerialError) {
    precondition(
      asserting.union(deasserting).isSubset(of: .outputs), "only DTR and RTS can be set")
    precondition(asserting.isDisjoint(with: deasserting), "a line is asserted or deasserted")
    guard let link else { throw notOpen(in: "modem lines") }
    defer { refreshModemLines() }
    try link.setModemLines(asserting: asserting, deasserting: deasserting)
  }

  /// Whether the far end of the open port can play a sequence by itself. Then the waits of the
  /// sequence do not depend on a network. Only `serialterm serve` can.
  public func canPlay(_ sequence: LineSequence) -> Bool { link?.canPlay(sequence) ?? false }

  /// Has the far end play a sequence, if ``canPlay(_:)``.
  ///
  /// - Parameters:
  ///   - sequence: the sequence.
  ///   - answer: called once, when the sequence has ended; not if the port is closed first.
  public func play(
    _ sequence: LineSequence, answer: @escaping (Result<Void, SerialError>) -> Void
  ) {
    guard let link else { return answer(.failure(notOpen(in: "play"))) }
    link.play(sequence, answer: answer)
  }

  /// Reads the driver's counters, and notifies observers if they differ from ``counters``.
  ///
  /// No event reports that a driver has counted an error: a program that shows errors calls this
  /// periodically while bytes arrive. It asks the driver, never the device. It does nothing if the
  /// driver counts nothing.
  public func refreshCounters() {
    if let new = try? link?.counters() { update(counters: new) }
  }

  /// Notes counters, and notifies observers if they differ from those before.
  func update(counters new: LineCounters) {
    guard let line, let old = line.probe.counters, old != new else { return }
    line.probe.counters = new
    notify(.countersChange, Change(from: old, to: new))
  }
}

@available(*, unavailable)
extension Session.Break: Sendable {}
