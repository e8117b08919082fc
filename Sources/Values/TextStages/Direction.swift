/// The direction of bytes.
public enum Direction: String, Hashable, Sendable, CaseIterable {
  /// From the device to this program.
  case fromDevice = "from-device"
  /// From this program to the device.
  case toDevice = "to-device"
}
