/// The features of a port besides sending and receiving, determined when it is opened.
public struct LineCapabilities: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Its modem lines can be read and set.
  public static let modemLines = LineCapabilities(rawValue: 1)
  /// It can hold the line in a break condition.
  public static let breaks = LineCapabilities(rawValue: 2)
  /// Its settings can be changed.
  public static let settings = LineCapabilities(rawValue: 8)
  /// Bytes that are not read wait at the far end: a pseudo-terminal, unlike a UART, loses none when
  /// its buffer is full.
  public static let backPressure = LineCapabilities(rawValue: 16)
  /// Its lines are set over a network: the time between two changes is the network's.
  public static let networkTiming = LineCapabilities(rawValue: 32)
  /// Its driver counts bytes, errors and changes of the modem lines.
  public static let counters = LineCapabilities(rawValue: 4)
}
