package import Time

/// Decides whether a stream is text, or is received at a wrong baud rate.
///
/// ## Principles of operation
///
/// - No hint is better than a wrong one: bytes that are not text are not evidence. Binary data at
///   the right rate have no line errors, and may look random, regular, or like anything else.
/// - Line errors are the best evidence. At a wrong rate, usually at least a fifth of the bytes end
///   where the receiver expects a stop bit and finds none. The drivers of some adapters do not
///   count these errors.
/// - A receiver that is more than twice as fast as the sender samples each bit more than once: no
///   bit differs from both of its neighbours, and the first bit is 0 like the start bit. Only 34
///   byte values have this form (``isStretched(_:)``). At such a rate nearly all bytes have it; few
///   other streams consist of such bytes.
/// - Nothing is decided before ``shortest``: bootloaders often use another rate than their program,
///   and end within that time.
package struct WrongRateDetector {
  /// The decision about the stream.
  package enum Verdict: Hashable {
    case undecided
    case text
    /// Neither certainly text nor certainly wrong.
    case other
    case wrongRate
  }

  package private(set) var verdict = Verdict.undecided

  /// The minimum time from the first to the last evidence.
  static let shortest = Duration.milliseconds(500)
  /// The time and the number of bytes after which an undecided stream is no longer examined.
  static let longest = Duration.seconds(2)
  static let sampleSize = 4_096
  /// The number of bytes of one read that are examined.
  static let lookedSize = 256
  /// The size of a block that counts as text or not, and the number of consecutive text blocks that
  /// make the stream text: repeated bytes may look like text for a while, even at a wrong rate.
  static let blockSize = 64
  static let fewestTextBlocks = 2
  /// The minimum number of errors that is evidence.
  static let fewestErrors = 16
  /// The minimum number of stretched bytes that is evidence.
  static let fewestStretched = 64

  private var start: MonotonicTime?
  private var byteCount = 0
  /// The number of examined bytes.
  private var lookedCount = 0
  private var stretchedCount = 0
  private var tally = TextTally()
  private var block = TextTally()
  /// The number of consecutive blocks that are text.
  private var textBlockCount = 0
  private var framingCount = 0
  private var breakCount = 0
  /// The present run of bytes of which nearly all are stretched.
  private var run = Run()

  private struct Run {
    var start: MonotonicTime?
    var byteCount = 0
    var stretchedCount = 0
    var zeroCount = 0
    /// Its first bytes.
    var sample: [UInt8] = []

    /// Whether nearly all bytes are stretched.
    var isStretched: Bool { stretchedCount * 100 >= byteCount * 97 }

    mutating func add(_ byte: UInt8, isStretched: Bool, at now: MonotonicTime) {
      if start == nil { start = now }
      byteCount += 1
      if isStretched { stretchedCount += 1 }
      if byte == 0 { zeroCount += 1 }
      if sample.count < WrongRateDetector.lookedSize { sample.append(byte) }
    }

    /// Whether the first bytes repeat themselves, like short frames with delimiters and idle lines
    /// with flags. Bytes that repeat after a longer time may be a line of text.
    var isPeriodic: Bool {
      (1...24).contains { period in
        let pairs = sample.count - period
        let equal = (0..<pairs).count { sample[$0] == sample[$0 + period] }
        return equal * 10 >= pairs * 9
      }
    }
  }

  package init() {}

  /// Adds received bytes.
  package mutating func add(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) {
    guard verdict == .undecided, !bytes.isEmpty else { return }
    if start == nil { start = now }
    byteCount += bytes.count
    for byte in bytes.prefix(Self.lookedSize) {
      lookedCount += 1
      tally.add(byte)
      block.add(byte)
      if block.byteCount >= Self.blockSize {
        textBlockCount = block.textCount * 10 >= block.byteCount * 9 ? textBlockCount + 1 : 0
        if textBlockCount == Self.fewestTextBlocks { return verdict = .text }
        block = TextTally()
        if !run.isStretched { run = Run() }
      }
      let isStretched = Self.isStretched(byte)
      if isStretched { stretchedCount += 1 }
      run.add(byte, isStretched: isStretched, at: now)
    }
    decide(at: now)
  }

  /// Adds the numbers of errors that the driver has counted since the last call.
  package mutating func add(framingErrors: Int, breaks: Int, at now: MonotonicTime) {
    guard verdict == .undecided, framingErrors + breaks > 0 else { return }
    if start == nil { start = now }
    framingCount += framingErrors
    breakCount += breaks
    decide(at: now)
  }

  private mutating func decide(at now: MonotonicTime) {
    guard let start else { return }
    if now - start >= Self.shortest && hasErrors || isRunStretched(at: now) {
      verdict = .wrongRate
    } else if now - start >= Self.longest && byteCount >= Self.sampleSize {
      verdict = .other
    }
  }

  // MARK: Line errors

  /// Whether the share of bytes with errors is so high that only a wrong rate can cause it.
  private var hasErrors: Bool {
    let isText = tally.textCount * 10 > tally.byteCount * 8
    if framingCount >= Self.fewestErrors && framingCount * 100 >= byteCount * 15 && !isText {
      return true
    }
    // A break is a byte that is low up to its end. Some protocols, such as LIN, use breaks, but
    // their other bytes are not stretched.
    let count = framingCount + breakCount
    return count >= Self.fewestErrors && count * 100 >= byteCount * 30
      && stretchedCount * 100 >= lookedCount * 95 && lookedCount > 0
  }

  // MARK: Stretched bits

  /// Whether a byte has the form that a receiver samples from a sender that is less than half as
  /// fast: after the start bit, no bit differs from both of its neighbours.
  package static func isStretched(_ byte: UInt8) -> Bool {
    // The start bit is the lowest one here.
    let bits = UInt16(byte) << 1
    let changes = bits ^ (bits >> 1)
    // Bit n of `changes` is set if bits n and n+1 differ. The start bit and the first bit must be
    // equal, and no two changes may follow one another. The change after the last bit is unknown.
    return changes & 1 == 0 && changes & (changes >> 1) & 0x7F == 0
  }

  /// Whether the present run proves a wrong rate. Zeros alone, and repeated patterns,
  /// have other causes.
  private func isRunStretched(at now: MonotonicTime) -> Bool {
    guard let start = run.start, now - start >= Self.shortest else { return false }
    return run.byteCount >= Self.fewestStretched && run.isStretched
      && run.zeroCount * 10 <= run.byteCount * 7 && !run.isPeriodic
  }
}
