import Posix

/// Lets bytes pass at a line's rate: 10 bits a byte, each there when its stop bit is.
///
/// A token bucket over a clock that is handed in. It fills while there is something to transmit, and
/// only then: a line that was idle sends nothing faster for it. It holds 100 ms, so that a late
/// wakeup is made up for and a long standstill is not.
struct LinePacer {
  private static let bitsPerByte = 10
  private static let depth = Duration.milliseconds(100)

  private let bitsPerSecond: Int
  private var transmission: Transmission?

  /// Bytes that follow each other without a gap.
  private struct Transmission {
    /// The bits below are counted from here.
    var origin: MonotonicTime
    /// How many bits have passed since, below one second's worth.
    var bits = 0
  }

  /// - Parameter baudRate: in bits per second, not 0.
  init(baudRate: UInt32) {
    precondition(baudRate > 0)
    bitsPerSecond = Int(baudRate)
  }

  /// The first byte of a transmission is there to be sent; during one it does nothing.
  mutating func begin(at now: MonotonicTime) {
    if transmission == nil { transmission = Transmission(origin: now) }
  }

  /// There is nothing to send any more, or the other end takes nothing.
  mutating func rest() { transmission = nil }

  /// How many bytes have been transmitted by now and not been taken.
  mutating func allowance(at now: MonotonicTime) -> Int {
    guard var current = transmission else { return 0 }
    let late = now - (time(of: current.bits + Self.bitsPerByte, in: current) + Self.depth)
    if late > .zero {
      current.origin = current.origin + late
      transmission = current
    }
    // Below 2^63: at most 2^32 bits per second, over at most a second and the depth; or, where a
    // byte takes longer than that, a byte and the depth.
    let bits = (now - current.origin).nanoseconds * Int64(bitsPerSecond) / 1_000_000_000
    return max(0, Int(bits) - current.bits) / Self.bitsPerByte
  }

  /// Takes transmitted bytes away.
  mutating func take(_ count: Int) {
    guard var current = transmission else { return }
    current.bits += count * Self.bitsPerByte
    let seconds = current.bits / bitsPerSecond
    current.bits -= seconds * bitsPerSecond
    current.origin = current.origin + .seconds(seconds)
    transmission = current
  }

  /// When the next byte will have been transmitted; nil at rest.
  var nextArrival: MonotonicTime? {
    transmission.map { time(of: $0.bits + Self.bitsPerByte, in: $0) }
  }

  /// When so many bits have passed, rounded up: never before the byte is whole.
  private func time(of bits: Int, in transmission: Transmission) -> MonotonicTime {
    let nanoseconds = (bits * 1_000_000_000 + bitsPerSecond - 1) / bitsPerSecond
    return transmission.origin + .nanoseconds(nanoseconds)
  }
}
