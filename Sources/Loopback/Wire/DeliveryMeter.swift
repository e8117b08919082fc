/// Counts the bytes that have arrived, up to a limit.
struct DeliveryMeter {
  /// How many more bytes may arrive.
  private(set) var remaining: Int

  /// - Parameter limit: at least 1; nil for none.
  init(limit: Int?) {
    precondition(limit ?? 1 > 0)
    remaining = limit ?? .max
  }

  var isExhausted: Bool { remaining == 0 }

  /// Counts bytes that have arrived, no more than remain.
  mutating func count(_ bytes: Int) {
    precondition(bytes <= remaining)
    // Without a limit 2^63 bytes will do.
    remaining -= bytes
  }
}
