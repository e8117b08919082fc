/// The features and the state of a line, at the last reading.
public struct LineProbe: Hashable, Sendable {
  /// The modem lines; nil if the port has none.
  public var modemLines: ModemLines?
  /// The driver's counters; nil if it counts nothing.
  public var counters: LineCounters?
  /// Whether it can hold the line in a break condition.
  public var hasBreaks: Bool

  /// Whether its settings can be changed.
  public var hasSettings: Bool
  /// Whether bytes that are not read wait at the far end, rather than being lost when a
  /// buffer is full.
  public var hasBackPressure: Bool
  /// Whether the time between two changes of its lines is that of a network.
  public var hasNetworkTiming: Bool

  /// Creates a probe from its values.
  public init(
    modemLines: ModemLines?, counters: LineCounters?, hasBreaks: Bool, hasSettings: Bool = true,
    hasBackPressure: Bool = false, hasNetworkTiming: Bool = false
  ) {
    self.hasNetworkTiming = hasNetworkTiming
    self.hasSettings = hasSettings
    self.hasBackPressure = hasBackPressure
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
    if hasSettings { result.insert(.settings) }
    if hasBackPressure { result.insert(.backPressure) }
    if hasNetworkTiming { result.insert(.networkTiming) }
    return result
  }
}
