import Scripting

/// Delays for sending to a device without flow control.
struct Pacing {
  /// The delay after each byte.
  var byteDelay = Duration.zero
  /// The delay after each line.
  var lineDelay = Duration.zero
  /// The text that the device must send before the next line is sent.
  var waitFor: Expression?

  /// Whether there are no delays.
  var isUnlimited: Bool { byteDelay == .zero && lineDelay == .zero && waitFor == nil }
}
