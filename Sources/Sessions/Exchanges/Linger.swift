package import Time

/// The wait for an answer whose end is not known: until the device was silent for a time. A device
/// that never stops is listened to for ``limit``, or for that time if it is longer.
package struct Linger: Hashable, Sendable {
  /// The maximum time for a device that never is silent.
  package static let limit = Duration.seconds(5)

  private let silence: Duration
  private var deadline: MonotonicTime?

  /// - Parameter silence: the time without a byte that ends the wait; 0 ends it at once.
  package init(_ silence: Duration) { self.silence = silence }

  /// Whether nothing is waited for.
  package var isNone: Bool { silence == .zero }

  /// Begins the wait, or goes on after a byte was received.
  ///
  /// - Returns: the time at which the wait ends if nothing more is received.
  package mutating func end(at now: MonotonicTime) -> MonotonicTime {
    let latest = deadline ?? now + max(silence, Self.limit)
    deadline = latest
    return min(now + silence, latest)
  }
}
