/// Counts delivered bytes, up to a limit.
struct DeliveryMeter {
  /// The number of bytes that may still be delivered.
  private(set) var remaining: Int

  /// - Parameter limit: the limit, at least 1; nil for no limit.
  init(limit: Int?) {
    precondition(limit ?? 1 > 0)
    remaining = limit ?? .max
  }

  var isExhausted: Bool { remaining == 0 }

  /// Counts delivered bytes, at most ``remaining``.
  mutating func count(_ bytes: Int) {
    precondition(bytes <= remaining)
    // Without a limit, the counter starts at almost 2^63, which is sufficient.
    remaining -= bytes
  }
}
