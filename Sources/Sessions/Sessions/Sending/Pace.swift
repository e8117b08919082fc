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
  /// Whether a line was sent and its prompt has not arrived yet.
  package private(set) var isAwaitingPrompt = false

  private static let carriageReturn: UInt8 = 0x0D
  private static let lineFeed: UInt8 = 0x0A

  package init(_ pacing: Pacing) {
    self.init(
      byteDelay: pacing.byteDelay, lineDelay: pacing.lineDelay, awaitsPrompt: pacing.waitFor != nil)
  }

  package init(byteDelay: Duration, lineDelay: Duration, awaitsPrompt: Bool) {
    self.byteDelay = byteDelay
    self.lineDelay = lineDelay
    self.awaitsPrompt = awaitsPrompt
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
    lastByte = last
    let isLineEnd = last == Self.carriageReturn || last == Self.lineFeed
    lineFeedNotBefore = now + byteDelay
    notBefore = now + (isLineEnd ? max(byteDelay, lineDelay) : byteDelay)
    guard isLineEnd, !isRest, awaitsPrompt else { return false }
    isAwaitingPrompt = true
    return true
  }

  /// Records that the prompt arrived.
  package mutating func promptCame() { isAwaitingPrompt = false }
}

/// Delays for sending to a device without flow control.
package struct Pacing {
  /// The delay after each byte.
  package var byteDelay = Duration.zero
  /// The delay after each line.
  package var lineDelay = Duration.zero
  /// The text that the device must send before the next line is sent.
  package var waitFor: ExpectedPattern?

  /// Creates delays, by default none.
  package init(
    byteDelay: Duration = .zero, lineDelay: Duration = .zero, waitFor: ExpectedPattern? = nil
  ) {
    (self.byteDelay, self.lineDelay, self.waitFor) = (byteDelay, lineDelay, waitFor)
  }

  /// Whether there are no delays.
  package var isUnlimited: Bool { byteDelay == .zero && lineDelay == .zero && waitFor == nil }
}
