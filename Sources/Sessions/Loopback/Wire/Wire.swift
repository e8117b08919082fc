import Time

/// One direction of a line: its rate and its faults.
struct Wire {
  private var pacer: LinePacer?
  private var faults: LineFaults

  /// - Parameters:
  ///   - options: the rate and the faults.
  ///   - seed: the seed of this direction's random numbers.
  init(_ options: LoopbackOptions, seed: UInt64) {
    pacer = options.baudRate.map(LinePacer.init)
    faults = LineFaults(
      dropProbability: options.dropProbability, corruptProbability: options.corruptProbability,
      seed: seed)
  }

  /// Starts a transmission. During one it does nothing.
  mutating func begin(at now: MonotonicTime) { pacer?.begin(at: now) }

  /// Ends the transmission, because there is nothing to carry, or the receiver accepts nothing.
  mutating func rest() { pacer?.rest() }

  /// The number of bytes that can have crossed by now, since ``begin(at:)``.
  mutating func allowance(at now: MonotonicTime) -> Int { pacer?.allowance(at: now) ?? .max }

  /// Carries bytes, at most the allowance. Those that arrive move to the front.
  ///
  /// - Returns: the number of bytes that arrive.
  mutating func carry(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    pacer?.take(bytes.count)
    return faults.apply(to: bytes)
  }

  /// The time at which the next byte has crossed; nil without a transmission or a rate.
  var nextArrival: MonotonicTime? { pacer?.nextArrival }
}
