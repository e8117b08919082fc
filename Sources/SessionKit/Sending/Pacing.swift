package import Expectations

/// Delays for sending to a device without flow control.
package struct Pacing {
  /// The delay after each byte.
  package var byteDelay = Duration.zero
  /// The delay after each line.
  package var lineDelay = Duration.zero
  /// The text that the device must send before the next line is sent.
  package var waitFor: ExpectedPattern?

  /// Creates delays, by default none.
  package init(
    byteDelay: Duration = .zero, lineDelay: Duration = .zero, waitFor: ExpectedPattern? = nil
  ) {
    (self.byteDelay, self.lineDelay, self.waitFor) = (byteDelay, lineDelay, waitFor)
  }

  /// Whether there are no delays.
  package var isUnlimited: Bool { byteDelay == .zero && lineDelay == .zero && waitFor == nil }
}
