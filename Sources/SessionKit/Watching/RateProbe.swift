package import Posix

/// Finds the baud rate of a device that sends text: listens at one rate after the other.
///
/// It is a value: its owner sets the rates, passes on what is received and counted, and asks what is next.
///
/// - What comes in the first moment after a change was received at the rate before, and is ignored.
/// - A rate is listened at until it is clear what comes, or for ``longest``. If nothing has come at all, the
///   first rate gets ``patience``.
/// - A rate at which nearly everything is text ends the search.
package struct RateProbe {
  /// The rates, the most usual ones first.
  package static let usualRates: [UInt32] = [
    115_200, 9_600, 57_600, 38_400, 19_200, 230_400, 460_800, 921_600, 1_500_000, 74_880, 4_800,
    2_400,
    1_200,
  ]

  /// What was received at one rate.
  package struct Trial: Hashable {
    package let rate: UInt32
    package fileprivate(set) var byteCount = 0
    package fileprivate(set) var textCount = 0
    /// Nil if the driver counts nothing.
    package fileprivate(set) var framingErrorCount: Int?
    package fileprivate(set) var breakCount = 0
    /// The bytes that are text without their highest bit, and of these the ones whose highest bit is the
    /// parity of the others.
    fileprivate var lowTextCount = 0
    fileprivate var evenCount = 0
    fileprivate var highCount = 0
    /// The different bytes. At a wrong rate, there may be a few only, which happen to be text.
    fileprivate var values: Set<UInt8> = []

    fileprivate init(_ rate: UInt32) { self.rate = rate }

    /// Whether enough has come to say anything.
    package var isConclusive: Bool { byteCount >= RateProbe.fewestBytes }

    /// The framing with which it is text; nil if it is not.
    package var framing: Framing? {
      guard isConclusive, errorCount * 20 <= byteCount, values.count >= 3 else { return nil }
      if textCount * 100 >= byteCount * 92 { return .eightBits }
      // Text never has the highest bit everywhere, and with parity some bytes have it and some have not.
      guard lowTextCount * 100 >= byteCount * 97, highCount * 10 >= byteCount,
        values.count >= RateProbe.fewestValues
      else { return nil }
      if evenCount * 100 >= byteCount * 97 { return .sevenEven }
      return evenCount * 100 <= byteCount * 3 ? .sevenOdd : nil
    }

    fileprivate var errorCount: Int { (framingErrorCount ?? 0) + breakCount }

    /// Whether nothing better can come.
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

  /// What the owner does next.
  package enum Step: Hashable {
    /// Asks again at this time, or when something has come.
    case wait(until: MonotonicTime)
    /// Sets a rate, and calls ``begin(at:)`` or ``skip()``.
    case set(UInt32)
    case finished
  }

  /// What the search has found.
  package enum Result: Hashable {
    /// Nothing came in.
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
  /// The number of different bytes from which on they are certainly words, and not a pattern.
  static let fewestValues = 8

  /// The rates that were listened at.
  package private(set) var trials: [Trial] = []
  private var trial: Trial
  private var tally = TextTally()
  private var start: MonotonicTime
  private var rates: [UInt32]
  private let countsErrors: Bool

  /// Begins at the present rate of the port.
  ///
  /// - Parameter countsErrors: whether the driver counts errors.
  package init(at rate: UInt32, countsErrors: Bool, now: MonotonicTime) {
    trial = Trial(rate)
    trial.framingErrorCount = countsErrors ? 0 : nil
    self.countsErrors = countsErrors
    start = now
    rates = Self.usualRates.filter { $0 != rate }
  }

  /// The rate that is listened at.
  package var rate: UInt32 { trial.rate }

  private func isSettling(at now: MonotonicTime) -> Bool { now - start < Self.settling }

  /// Takes received bytes.
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

  /// Takes the numbers of errors that the driver has counted since the last call.
  package mutating func add(framingErrors: Int, breaks: Int, at now: MonotonicTime) {
    guard !isSettling(at: now), countsErrors else { return }
    trial.framingErrorCount = (trial.framingErrorCount ?? 0) + framingErrors
    trial.breakCount += breaks
  }

  /// What to do next.
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

  /// The rate is set.
  package mutating func begin(_ rate: UInt32, at now: MonotonicTime) {
    trial = Trial(rate)
    trial.framingErrorCount = countsErrors ? 0 : nil
    tally = TextTally()
    start = now
  }

  /// The port does not have the rate: the next step.
  package mutating func skip() -> Step { next() }

  /// What was found, as far as the search has come.
  package var result: Result {
    guard trials.contains(where: { $0.byteCount > 0 }) else { return .nothing }
    // Of several, that with the most different bytes: patterns of a wrong rate have few.
    let best = trials.filter { $0.framing != nil }.max { $0.values.count < $1.values.count }
    guard let best, let framing = best.framing else { return .noText }
    return .likely(best, framing)
  }
}

extension RateProbe.Trial {
  /// The bytes that are text with the best framing.
  package var bestTextCount: Int { framing == .eightBits ? textCount : lowTextCount }
}
