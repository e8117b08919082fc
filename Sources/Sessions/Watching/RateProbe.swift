package import Time

/// Finds the baud rate of a device that sends text, by listening at one rate after the other.
///
/// This is a value: its owner sets the rates, passes in received bytes and error counts, and
/// performs the steps.
///
/// - Bytes that arrive just after a change of the rate were received at the previous rate,
///   and are ignored.
/// - The probe listens at each rate until the result is clear, or for ``longest``. If it received
///   nothing so far, the first rate gets ``patience``.
/// - The search ends at a rate at which nearly all bytes are text.
package struct RateProbe {
  /// The rates to try, the most common ones first.
  package static let usualRates: [UInt32] = [
    115_200, 9_600, 57_600, 38_400, 19_200, 230_400, 460_800, 921_600, 1_500_000, 74_880, 4_800,
    2_400,
    1_200,
  ]

  /// The bytes and errors that were received at one rate.
  package struct Trial: Hashable {
    package let rate: UInt32
    package fileprivate(set) var byteCount = 0
    package fileprivate(set) var textCount = 0
    /// The number of framing errors; nil if the driver does not count them.
    package fileprivate(set) var framingErrorCount: Int?
    package fileprivate(set) var breakCount = 0
    /// The number of bytes that are text without their highest bit, and how many of these have the
    /// parity of the other bits in the highest bit.
    fileprivate var lowTextCount = 0
    fileprivate var evenCount = 0
    fileprivate var highCount = 0
    /// The distinct byte values. At a wrong rate there may be only a few, which happen to be text.
    fileprivate var values: Set<UInt8> = []

    fileprivate init(_ rate: UInt32) { self.rate = rate }

    /// Whether enough bytes were received to decide.
    package var isConclusive: Bool { byteCount >= RateProbe.fewestBytes }

    /// The framing with which the bytes are text; nil if they are not text.
    package var framing: Framing? {
      guard isConclusive, errorCount * 20 <= byteCount, values.count >= 3 else { return nil }
      if textCount * 100 >= byteCount * 92 { return .eightBits }
      // In text, the highest bit is never set everywhere. With parity, it is set in some bytes and
      // clear in others.
      guard lowTextCount * 100 >= byteCount * 97, highCount * 10 >= byteCount,
        values.count >= RateProbe.fewestValues
      else { return nil }
      if evenCount * 100 >= byteCount * 97 { return .sevenEven }
      return evenCount * 100 <= byteCount * 3 ? .sevenOdd : nil
    }

    fileprivate var errorCount: Int { (framingErrorCount ?? 0) + breakCount }

    /// Whether no other rate can give a better result.
    fileprivate var isClear: Bool {
      byteCount >= RateProbe.manyBytes && framing != nil && errorCount == 0
        && values.count >= RateProbe.fewestValues
        && max(textCount, lowTextCount) * 100 >= byteCount * 97
    }
  }

  /// The bits of a character: 8N1, or 7 bits with a parity bit.
  package enum Framing: String, Hashable {
    case eightBits = "8N1"
    case sevenEven = "7E1"
    case sevenOdd = "7O1"
  }

  /// The next step for the owner.
  package enum Step: Hashable {
    /// Ask again at this time, or when bytes have arrived.
    case wait(until: MonotonicTime)
    /// Set this rate, then call ``begin(_:at:)``, or ``skip()`` if the port does not support it.
    case set(UInt32)
    case finished
  }

  /// The result of the search.
  package enum Result: Hashable {
    /// Nothing was received.
    case nothing
    /// No rate gives text.
    case noText
    case likely(Trial, Framing)
  }

  package static let longest = Duration.seconds(2)
  package static let patience = Duration.seconds(5)
  static let settling = Duration.milliseconds(100)
  static let fewestBytes = 16
  static let manyBytes = 192
  /// The number of distinct byte values that proves text rather than a pattern.
  static let fewestValues = 8

  /// The results of the rates that were tried.
  package private(set) var trials: [Trial] = []
  private var trial: Trial
  private var tally = TextTally()
  private var start: MonotonicTime
  private var rates: [UInt32]
  private let countsErrors: Bool

  /// Begins at the port's present rate.
  ///
  /// - Parameter countsErrors: whether the driver counts errors.
  package init(at rate: UInt32, countsErrors: Bool, now: MonotonicTime) {
    trial = Trial(rate)
    trial.framingErrorCount = countsErrors ? 0 : nil
    self.countsErrors = countsErrors
    start = now
    rates = Self.usualRates.filter { $0 != rate }
  }

  /// The rate that is being tried.
  package var rate: UInt32 { trial.rate }

  private func isSettling(at now: MonotonicTime) -> Bool { now - start < Self.settling }

  /// Adds received bytes.
  package mutating func add(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) {
    guard !isSettling(at: now) else { return }
    for byte in bytes {
      let low = byte & 0x7F
      if (0x20..<0x7F).contains(low) || (0x07...0x0D).contains(low) || low == 0x1B {
        trial.lowTextCount += 1
      }
      if byte.nonzeroBitCount % 2 == 0 { trial.evenCount += 1 }
      if byte >= 0x80 { trial.highCount += 1 }
      trial.values.insert(byte)
      tally.add(byte)
    }
    (trial.byteCount, trial.textCount) = (tally.byteCount, tally.textCount)
  }

  /// Adds the numbers of errors that the driver has counted since the last call.
  package mutating func add(framingErrors: Int, breaks: Int, at now: MonotonicTime) {
    guard !isSettling(at: now), countsErrors else { return }
    trial.framingErrorCount = (trial.framingErrorCount ?? 0) + framingErrors
    trial.breakCount += breaks
  }

  /// The next step.
  package mutating func step(at now: MonotonicTime) -> Step {
    let isFirst = trials.isEmpty
    let limit = isFirst && trial.byteCount == 0 ? Self.patience : Self.longest
    if trial.isClear {
      end()
      return .finished
    }
    guard trial.byteCount >= 2 * Self.manyBytes || now - start >= limit else {
      return .wait(until: start + limit)
    }
    end()
    if isFirst && trials[0].byteCount == 0 { return .finished }
    return next()
  }

  private mutating func end() { trials.append(trial) }

  private mutating func next() -> Step {
    guard !rates.isEmpty else { return .finished }
    return .set(rates.removeFirst())
  }

  /// Records that the rate is set.
  package mutating func begin(_ rate: UInt32, at now: MonotonicTime) {
    trial = Trial(rate)
    trial.framingErrorCount = countsErrors ? 0 : nil
    tally = TextTally()
    start = now
  }

  /// Records that the port does not support the rate, and returns the next step.
  package mutating func skip() -> Step { next() }

  /// The result so far.
  package var result: Result {
    guard trials.contains(where: { $0.byteCount > 0 }) else { return .nothing }
    // If several rates give text, the one with the most distinct bytes wins: patterns at a wrong
    // rate have few.
    let best = trials.filter { $0.framing != nil }.max { $0.values.count < $1.values.count }
    guard let best, let framing = best.framing else { return .noText }
    return .likely(best, framing)
  }
}

extension RateProbe.Trial {
  /// The number of bytes that are text with the best framing.
  package var bestTextCount: Int { framing == .eightBits ? textCount : lowTextCount }
}
