/// What a line was found to be when its port was opened: what it can do, and where it stood.
public struct LineProbe: Hashable, Sendable {
  /// The modem lines; nil where there are none.
  public var modemLines: ModemLines?
  /// What the driver had counted; nil where it counts nothing.
  public var counters: LineCounters?
  /// Whether it can hold the line in a break condition.
  public var hasBreaks: Bool

  /// Creates what was found.
  public init(modemLines: ModemLines?, counters: LineCounters?, hasBreaks: Bool) {
    self.modemLines = modemLines
    self.counters = counters
    self.hasBreaks = hasBreaks
  }

  /// What it can do besides passing bytes.
  public var capabilities: LineCapabilities {
    var result: LineCapabilities = []
    if modemLines != nil { result.insert(.modemLines) }
    if counters != nil { result.insert(.counters) }
    if hasBreaks { result.insert(.breaks) }
    return result
  }
}
