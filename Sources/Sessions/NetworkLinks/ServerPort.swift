import SerialCore
import Telnet

/// A port of a server, in the terms of a link. A value.
struct ServerPort {
  var client: ComPortClient
  /// The features of the real port; nil if the server has not reported them: it is no serialterm,
  /// or an older one. The port then counts as one with all features.
  private(set) var features: SharingMessage.Features?
  /// The counters of the real port's driver; nil if the server does not report them.
  private var driverCounters: LineCounters?
  /// The errors that the server has reported, for a server without ``driverCounters``.
  private var reportedErrors = LineCounters()

  private static let outputs: [(line: ModemLines, name: ComPortClient.Line)] = [
    (.dtr, .dtr), (.rts, .rts),
  ]

  /// Begins to open a port, with the output lines of the options.
  init(_ client: ComPortClient, opening options: LinkOptions) {
    self.client = client
    if !client.setsLine { features = .breaks }
    var states: [ComPortClient.Line: Bool] = [:]
    for (line, name) in Self.outputs where options.asserting.contains(line) { states[name] = true }
    for (line, name) in Self.outputs where options.deasserting.contains(line) {
      states[name] = false
    }
    self.client.open(setting: states)
  }

  /// Handles what the server says about the port.
  ///
  /// - Returns: what changes for the session if the port is open; nil if nothing does.
  mutating func handle(_ event: ComPortClient.Event) -> LinkEvent? {
    switch event {
    case .settingsChanged: return .settingsChanged(settings)
    case .linesChanged: return modemLines.map { .modemLinesChanged($0) }
    case .lineErrors(let errors):
      reportedErrors.count(errors)
      return nil
    case .shared(.features(let new)):
      guard features != new else { return nil }
      features = new
      return .featuresChanged(probe)
    case .shared(.counters(let numbers)):
      let new = LineCounters(numbers)
      driverCounters = new
      return .countersChanged(new)
    // The session asks whether the link accepts bytes after each read. It must not read again now:
    // a server that changes its mind without end would be read without end.
    case .sendingPermitted: return nil
    case .opened, .refused, .applied, .played, .shared, .speaks: return nil
    }
  }

  // MARK: What is known

  /// Whether the port has a feature.
  func has(_ feature: SharingMessage.Features) -> Bool { features?.contains(feature) != false }

  /// The settings that the server has reported.
  var settings: LineSettings { LineSettings(client.settings) }

  /// The modem lines that the server has reported; nil if its port has none.
  var modemLines: ModemLines? {
    guard has(.modemLines) else { return nil }
    var lines = ModemLines(client.modemState ?? [])
    for (line, name) in Self.outputs where client.outputs[name] == true { lines.insert(line) }
    return lines
  }

  /// The counters that the server has reported, or the errors; nil if its port has none.
  var counters: LineCounters? { has(.counters) ? driverCounters ?? reportedErrors : nil }

  var probe: LineProbe {
    LineProbe(
      modemLines: modemLines, counters: counters, hasBreaks: has(.breaks),
      hasSettings: has(.settings) && client.hasSettings, hasBackPressure: true,
      hasNetworkTiming: true)
  }

  // MARK: Requests

  /// Sets output lines: first those to deassert, then those to assert.
  mutating func setModemLines(asserting: ModemLines, deasserting: ModemLines) {
    for (line, name) in Self.outputs where deasserting.contains(line) {
      client.set(name, to: false)
    }
    for (line, name) in Self.outputs where asserting.contains(line) { client.set(name, to: true) }
  }
}

extension LineCounters {
  /// Adds the errors of a report.
  fileprivate mutating func count(_ errors: ComPortLineState) {
    if errors.contains(.framingError) { framingErrors &+= 1 }
    if errors.contains(.parityError) { parityErrors &+= 1 }
    if errors.contains(.overrun) { overruns &+= 1 }
    if errors.contains(.breakDetected) { breaks &+= 1 }
  }
}
