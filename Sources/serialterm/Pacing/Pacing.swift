import Scripting

/// How much slower than the line bytes are sent to a device without flow control.
struct Pacing {
  /// How long to wait after each byte.
  var byteDelay = Duration.zero
  /// How long to wait after each line.
  var lineDelay = Duration.zero
  /// What the device has to send before the next line goes.
  var waitFor: Expression?

  /// Whether bytes go as fast as they are taken.
  var isUnlimited: Bool { byteDelay == .zero && lineDelay == .zero && waitFor == nil }
}
