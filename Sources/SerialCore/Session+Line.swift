import SystemPackage

internal import Observing

/// Settings, breaks, modem lines and counters.
extension Session {
  /// The features of the port; empty while none is open.
  public var capabilities: LineCapabilities { link?.probe.capabilities ?? [] }

  /// Changes the settings: of the port if it is open, and for every later opening.
  ///
  /// - Throws: ``SerialError``; the old settings are in effect then.
  public func apply(_ settings: LineSettings) throws(SerialError) {
    try settings.checkBaudRate(at: state.path ?? "")
    try link?.apply(settings)
    requestedSettings = settings
    if let link { take(.settingsChanged(link.settings)) }
  }

  /// Starts or ends a break condition.
  ///
  /// - Throws: ``SerialError``: `notOpen`, `unsupported`, or the driver's error.
  public func setBreak(_ isOn: Bool) throws(SerialError) {
    guard let link else { throw notOpen(in: "break") }
    try link.setBreak(isOn)
  }

  /// Reads the modem lines, and notifies observers if they differ from ``modemLines``.
  ///
  /// No descriptor becomes ready when a line changes: a program that shows the lines calls this
  /// periodically. It can take as long as a USB transfer. It does nothing if the port has no modem
  /// lines or they cannot be read; that a device is gone is reported through its descriptor.
  public func refreshModemLines() {
    guard let old = modemLines, let new = try? link?.modemLines(), old != new else { return }
    modemLines = new
    notify(.modemLinesChange(Change(from: old, to: new)))
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

  /// Reads the driver's counters, and notifies observers if they differ from ``counters``.
  ///
  /// No event reports that a driver has counted an error: a program that shows errors calls this
  /// periodically while bytes arrive. It asks the driver, never the device. It does nothing if the
  /// driver counts nothing.
  public func refreshCounters() {
    guard let old = counters, let new = try? link?.counters(), old != new else { return }
    counters = new
    notify(.countersChange(Change(from: old, to: new)))
  }
}
