internal import Observing

/// What can be asked of the line, besides passing bytes.
extension Session {
  /// What the port can do; empty while none is open.
  public var capabilities: LineCapabilities { link?.probe.capabilities ?? [] }

  /// Changes the settings, now if the port is open, and for every opening to come.
  ///
  /// - Throws: ``SerialError``; the old settings stand then.
  public func apply(_ settings: LineSettings) throws(SerialError) {
    try link?.apply(settings)
    requestedSettings = settings
    if let link { take(.settingsChanged(link.settings)) }
  }

  /// Starts or ends a break condition.
  ///
  /// - Throws: ``SerialError``: `notOpen`, `unsupported`, or what the driver says.
  public func setBreak(_ isOn: Bool) throws(SerialError) {
    guard let link else { throw notOpen(in: "break") }
    try link.setBreak(isOn)
  }

  /// Reads the modem lines, and tells observers when they differ from ``modemLines``.
  ///
  /// No descriptor becomes ready when a line changes: who wants to show them calls this now and
  /// then, for as long as somebody looks. It may take as long as a USB transfer. It does nothing
  /// where there are no lines, and where they cannot be read: a device that is gone is told by its
  /// descriptor.
  public func refreshModemLines() {
    guard let old = modemLines, let new = try? link?.modemLines(), old != new else { return }
    modemLines = new
    notify(.modemLinesChange(Change(from: old, to: new)))
  }

  /// Sets output lines, first those to deassert, and reads all of them back.
  ///
  /// The line that hardware flow control uses, RTS, is the driver's own while that is on.
  ///
  /// - Parameters:
  ///   - asserting: of ``ModemLines/outputs``, those to assert.
  ///   - deasserting: of ``ModemLines/outputs``, those to deassert; no line may be in both.
  /// - Throws: ``SerialError``: `notOpen`, `unsupported`, or what the driver says.
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

  /// Reads the driver's counters, and tells observers when they differ from ``counters``.
  ///
  /// Nothing tells that a driver has counted an error; who wants to know calls this now and then
  /// while bytes come. It asks the driver, never the device. It does nothing where nothing is
  /// counted.
  public func refreshCounters() {
    guard let old = counters, let new = try? link?.counters(), old != new else { return }
    counters = new
    notify(.countersChange(Change(from: old, to: new)))
  }
}
