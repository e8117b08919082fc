/// The features and the state of a line when its port was opened.
public struct LineProbe: Hashable, Sendable {
  /// The modem lines; nil if the port has none.
  public var modemLines: ModemLines?
  /// The driver's counters; nil if it counts nothing.
  public var counters: LineCounters?
  /// Whether it can hold the line in a break condition.
  public var hasBreaks: Bool

  /// Creates a probe from its values.
  public init(modemLines: ModemLines?, counters: LineCounters?, hasBreaks: Bool) {
    self.modemLines = modemLines
    self.counters = counters
    self.hasBreaks = hasBreaks
  }

  /// The features besides sending and receiving.
  public var capabilities: LineCapabilities {
    var result: LineCapabilities = []
    if modemLines != nil { result.insert(.modemLines) }
    if counters != nil { result.insert(.counters) }
    if hasBreaks { result.insert(.breaks) }
    return result
  }
}
