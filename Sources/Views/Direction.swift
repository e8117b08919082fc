/// The direction in which bytes go.
public enum Direction: String, Hashable, Sendable, CaseIterable {
  /// What the device sends.
  case fromDevice = "from-device"
  /// What is sent to the device.
  case toDevice = "to-device"
}
