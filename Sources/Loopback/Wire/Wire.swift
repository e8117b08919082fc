import Posix

/// One direction of a line: how fast bytes cross it, and what becomes of them on the way.
struct Wire {
  private var pacer: LinePacer?
  private var faults: LineFaults

  /// - Parameters:
  ///   - options: rate and faults.
  ///   - seed: where the random numbers of this direction begin.
  init(_ options: LoopbackOptions, seed: UInt64) {
    pacer = options.baudRate.map(LinePacer.init)
    faults = LineFaults(
      dropProbability: options.dropProbability, corruptProbability: options.corruptProbability,
      seed: seed)
  }

  /// There is something to carry; while it is being carried this does nothing.
  mutating func begin(at now: MonotonicTime) { pacer?.begin(at: now) }

  /// There is nothing to carry, or nobody takes it.
  mutating func rest() { pacer?.rest() }

  /// How many bytes can cross by now, since ``begin(at:)``.
  mutating func allowance(at now: MonotonicTime) -> Int { pacer?.allowance(at: now) ?? .max }

  /// Lets bytes cross, no more than the allowance; those that arrive are at the front.
  ///
  /// - Returns: how many arrive.
  mutating func carry(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    pacer?.take(bytes.count)
    return faults.apply(to: bytes)
  }

  /// When the next byte will have crossed; nil at rest, and always without pacing.
  var nextArrival: MonotonicTime? { pacer?.nextArrival }
}
