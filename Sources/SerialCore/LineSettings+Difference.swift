extension LineSettings {
  /// A setting that the driver set to another value than requested.
  public struct Difference: Hashable, Sendable {
    /// The setting's name in words.
    public let setting: String
    /// The requested value.
    public let requested: String
    /// The value that the driver reports.
    public let actual: String
  }

  /// The tolerated deviation of a baud rate: 0.5 %.
  ///
  /// With it, a receiver samples the tenth bit of a character at most 5 % of a bit late. The limit
  /// is half a bit, and both ends can deviate.
  public static let baudRateTolerance = 0.005

  /// The settings that the driver changed; empty if it set everything as requested.
  ///
  /// - Parameter actual: the settings that were read back.
  public func differences(from actual: LineSettings) -> [Difference] {
    var result: [Difference] = []
    func compare(_ setting: String, _ requested: some Equatable, _ actual: some Equatable) {
      let (requested, actual) = ("\(requested)", "\(actual)")
      if requested != actual {
        result.append(Difference(setting: setting, requested: requested, actual: actual))
      }
    }
    let error = (Double(actual.baudRate) - Double(baudRate)).magnitude / Double(baudRate)
    if error > Self.baudRateTolerance { compare("baud rate", baudRate, actual.baudRate) }
    compare("data bits", dataBits.rawValue, actual.dataBits.rawValue)
    compare("parity", parity.rawValue, actual.parity.rawValue)
    compare("stop bits", stopBits.rawValue, actual.stopBits.rawValue)
    compare("flow control", flowControl.rawValue, actual.flowControl.rawValue)
    return result
  }

  /// Other settings with one of these at a time: one for each that differs, with its name and
  /// value in words.
  func singleChanges(from old: LineSettings) -> [(settings: LineSettings, name: String)] {
    var result: [(settings: LineSettings, name: String)] = []
    func change(_ setting: WritableKeyPath<LineSettings, some Equatable>, _ name: String) {
      guard self[keyPath: setting] != old[keyPath: setting] else { return }
      var settings = old
      settings[keyPath: setting] = self[keyPath: setting]
      result.append((settings, name))
    }
    change(\.baudRate, "baud rate \(baudRate)")
    change(\.dataBits, "data bits \(dataBits.rawValue)")
    change(\.parity, "parity \(parity.rawValue)")
    change(\.stopBits, "stop bits \(stopBits.rawValue)")
    change(\.flowControl, "flow control \(flowControl.rawValue)")
    return result
  }
}
