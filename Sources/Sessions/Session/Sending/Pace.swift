package import Patterns
package import Time

/// Decides when the next bytes may be sent, and how many: a pure function of the bytes
/// sent and received.
///
/// A line ends with CR, LF or CRLF.
package struct Pace {
  private let byteDelay: Duration
  private let lineDelay: Duration
  private let awaitsPrompt: Bool
  private var notBefore: MonotonicTime?
  /// The same for the line feed of a CRLF whose CR was sent. There is no delay, and no prompt,
  /// between the two.
  private var lineFeedNotBefore: MonotonicTime?
  private var lastByte: UInt8?
  /// The lines that the device does not answer; nil for none.
  private var unanswered: LineMatcher?
  /// The beginning of the line that is being sent, without its end.
  private var line: [UInt8] = []
  private var lineCount = 0
  /// Whether a line was sent and its prompt has not arrived yet.
  package private(set) var isAwaitingPrompt = false
  /// The line whose prompt has not arrived, also after ``giveUp()`` until more is sent; nil
  /// for none.
  package private(set) var awaitedLine: SentLine?

  /// A line that was sent.
  package struct SentLine: Hashable {
    /// Its number, counted from 1, among the lines that were sent with these delays.
    package let number: Int
    /// Its first bytes, at most ``lineLimit``, without the line end.
    package let text: [UInt8]
  }

  /// The maximum number of bytes of a line that are kept, and searched.
  package static let lineLimit = 1_024

  private static let carriageReturn: UInt8 = 0x0D
  private static let lineFeed: UInt8 = 0x0A

  package init(_ pacing: Pacing) {
    self.init(
      byteDelay: pacing.byteDelay, lineDelay: pacing.lineDelay, awaitsPrompt: pacing.waitFor != nil,
      exceptAfter: pacing.unanswered)
  }

  package init(
    byteDelay: Duration, lineDelay: Duration, awaitsPrompt: Bool, exceptAfter lines: Pattern? = nil
  ) {
    self.byteDelay = byteDelay
    self.lineDelay = lineDelay
    self.awaitsPrompt = awaitsPrompt
    unanswered = lines.map(LineMatcher.init)
  }

  /// The time at which the next bytes may be sent; nil for now, and while waiting for the prompt.
  package func resumption(for bytes: UnsafeRawBufferPointer) -> MonotonicTime? {
    endsLine(bytes) ? lineFeedNotBefore : isAwaitingPrompt ? nil : notBefore
  }

  /// The number of the next bytes that may be sent now.
  package func allowance(for bytes: UnsafeRawBufferPointer, at now: MonotonicTime) -> Int {
    guard !isAwaitingPrompt, notBefore.map({ $0 <= now }) ?? true else {
      return endsLine(bytes) && lineFeedNotBefore.map({ $0 <= now }) ?? true ? 1 : 0
    }
    guard byteDelay == .zero else { return 1 }
    guard lineDelay != .zero || awaitsPrompt else { return bytes.count }
    return endOfLine(in: bytes)
  }

  /// The number of bytes up to the end of the first line, or of all bytes if no line ends.
  private func endOfLine(in bytes: UnsafeRawBufferPointer) -> Int {
    let rest = bytes.dropFirst(endsLine(bytes) ? 1 : 0)
    let end = rest.firstIndex { $0 == Self.carriageReturn || $0 == Self.lineFeed }
    guard let end else { return bytes.count }
    return bytes[end] == Self.carriageReturn && isLineFeed(bytes, end + 1) ? end + 2 : end + 1
  }

  /// Whether the bytes begin with the line feed of a CRLF whose CR was sent.
  private func endsLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lastByte == Self.carriageReturn && isLineFeed(bytes, 0)
  }

  private func isLineFeed(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
    index < bytes.count && bytes[index] == Self.lineFeed
  }

  /// Records sent bytes, at most the allowed number.
  ///
  /// - Returns: whether a line has ended, and its prompt must arrive before the next line.
  package mutating func sent(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) -> Bool {
    guard let last = bytes.last else { return false }
    // This is the line feed of a CRLF whose line has already ended.
    let isRest = bytes.count == 1 && endsLine(bytes)
    if !isAwaitingPrompt { awaitedLine = nil }
    lastByte = last
    if awaitsPrompt, !isRest { keep(bytes) }
    let isLineEnd = last == Self.carriageReturn || last == Self.lineFeed
    lineFeedNotBefore = now + byteDelay
    notBefore = now + (isLineEnd ? max(byteDelay, lineDelay) : byteDelay)
    guard isLineEnd, !isRest, awaitsPrompt else { return false }
    let text = line
    line = []
    lineCount += 1
    if text.withUnsafeBytes({ unanswered?.matches($0) }) == true { return false }
    awaitedLine = SentLine(number: lineCount, text: text)
    isAwaitingPrompt = true
    return true
  }

  /// Keeps the beginning of the line that is being sent.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    let text = bytes.prefix { $0 != Self.carriageReturn && $0 != Self.lineFeed }
    line += text.prefix(Self.lineLimit - line.count)
  }

  /// Counts the lines from 1 again: those of another file.
  package mutating func restartCount() { lineCount = 0 }

  /// Records that the prompt arrived.
  package mutating func promptCame() {
    isAwaitingPrompt = false
    awaitedLine = nil
  }

  /// Does not wait for the prompt any more.
  package mutating func giveUp() {
    isAwaitingPrompt = false
    line = []
  }
}

/// Delays for sending to a device without flow control.
package struct Pacing {
  /// The delay after each byte.
  package var byteDelay = Duration.zero
  /// The delay after each line.
  package var lineDelay = Duration.zero
  /// The text that the device must send before the next line is sent.
  package var waitFor: ExpectedPattern?
  /// The lines after which ``waitFor`` does not apply; nil for none.
  package var unanswered: Pattern?

  /// Creates delays, by default none.
  package init(
    byteDelay: Duration = .zero, lineDelay: Duration = .zero, waitFor: ExpectedPattern? = nil,
    unanswered: Pattern? = nil
  ) {
    (self.byteDelay, self.lineDelay) = (byteDelay, lineDelay)
    (self.waitFor, self.unanswered) = (waitFor, unanswered)
  }

  /// Whether there are no delays.
  package var isUnlimited: Bool { byteDelay == .zero && lineDelay == .zero && waitFor == nil }
}
