import Time

/// Limits bytes to a line's rate, with 10 bits per byte. A byte is complete with its stop bit.
///
/// A token bucket with the time as a parameter. It fills only while there are bytes to transmit, so
/// a line does not become faster after a pause. It holds 100 ms, which compensates for a delay
/// wake-up but not for a long pause.
struct LinePacer {
  private static let bitsPerByte = 10
  private static let depth = Duration.milliseconds(100)

  private let bitsPerSecond: Int
  private var transmission: Transmission?

  /// A transmission: bytes that follow each other without a gap.
  private struct Transmission {
    /// The time from which the bits below are counted.
    var origin: MonotonicTime
    /// The number of bits since then, less than in one second.
    var bits = 0
  }

  /// - Parameter baudRate: the rate in bits per second, not 0.
  init(baudRate: UInt32) {
    precondition(baudRate > 0)
    bitsPerSecond = Int(baudRate)
  }

  /// Starts a transmission. During one it does nothing.
  mutating func begin(at now: MonotonicTime) {
    if transmission == nil { transmission = Transmission(origin: now) }
  }

  /// Ends the transmission, because there is nothing to send, or the other end accepts nothing.
  mutating func rest() { transmission = nil }

  /// The number of bytes that were transmitted by now and not removed.
  mutating func allowance(at now: MonotonicTime) -> Int {
    guard var current = transmission else { return 0 }
    let delay = now - (time(of: current.bits + Self.bitsPerByte, in: current) + Self.depth)
    if delay > .zero {
      current.origin = current.origin + delay
      transmission = current
    }
    // Less than 2^63: at most 2^32 bits per second over at most a second plus the depth; or, at
    // rates where a byte takes longer than a second, one byte plus the depth.
    let bits = (now - current.origin).nanoseconds * Int64(bitsPerSecond) / 1_000_000_000
    return max(0, Int(bits) - current.bits) / Self.bitsPerByte
  }

  /// Removes transmitted bytes.
  mutating func take(_ count: Int) {
    guard var current = transmission else { return }
    current.bits += count * Self.bitsPerByte
    let seconds = current.bits / bitsPerSecond
    current.bits -= seconds * bitsPerSecond
    current.origin = current.origin + .seconds(seconds)
    transmission = current
  }

  /// The time at which the next byte is complete; nil without a transmission.
  var nextArrival: MonotonicTime? {
    transmission.map { time(of: $0.bits + Self.bitsPerByte, in: $0) }
  }

  /// The time after a number of bits, rounded up, so that it is never before the byte is complete.
  private func time(of bits: Int, in transmission: Transmission) -> MonotonicTime {
    let nanoseconds = (bits * 1_000_000_000 + bitsPerSecond - 1) / bitsPerSecond
    return transmission.origin + .nanoseconds(nanoseconds)
  }
}
