extension LineSettings {
  /// A setting that the driver took otherwise than it was asked for.
  public struct Difference: Hashable, Sendable {
    /// The setting's name in words.
    public let setting: String
    /// What was asked for.
    public let requested: String
    /// What the driver says that it set.
    public let actual: String
  }

  /// How far a baud rate may be off before the other end misreads it: 0.5 %.
  ///
  /// A receiver samples the tenth bit of a character at most 5 % of a bit late then; half of a bit
  /// is the limit, and both ends may be off.
  public static let baudRateTolerance = 0.005

  /// What the driver changed, of what was asked for; empty when it took everything.
  ///
  /// - Parameter actual: the settings as they were read back.
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
}
