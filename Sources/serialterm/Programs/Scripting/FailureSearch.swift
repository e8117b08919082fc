import Encodings
import EventLoop
import Framing
import Observing
import Options
import Patterns
import SerialCore
import Sessions
import TextTools

/// Searches everything that a device sends for the text that means a failure, `--fail-on`: also
/// while a script waits for something else, or a file is sent.
final class FailureSearch {
  static let parameter = Parameter<ExpectedPattern?>.option(
    "fail-on", "REGEX", "End with status 1 when the device sends matching text.",
    parse: { try ExpectedPattern.regex($0) })

  private let text: ReceivedTextWatch
  /// The lines of frames.
  private let lines: ReceivedTextWatch
  private let decoder: ReceivedDecoder
  private var received: ObservationToken<SessionEvent>?

  /// Starts to search.
  ///
  /// - Parameters:
  ///   - pattern: the text that means a failure; nil for no search.
  ///   - early: what was received before.
  ///   - onFailure: called once at most, with a message, and not during this call.
  init?(
    _ pattern: ExpectedPattern?, in session: Session, afterReceiving early: [UInt8] = [],
    encoding: Encoding, on loop: IOLoop,
    onFailure: @escaping (String) -> Void
  ) {
    guard let pattern else { return nil }
    var isFound = false
    func found(_ match: ReceivedText.Match) {
      guard !isFound else { return }
      isFound = true
      onFailure(match.failureMessage(pattern))
    }
    let text = ReceivedTextWatch(on: loop, onMatch: found)
    self.text = text
    lines = ReceivedTextWatch(on: loop, onMatch: found)
    decoder = ReceivedDecoder(encoding, on: loop) { bytes, _ in text.add(bytes) }
    early.withUnsafeBytes { decoder.add($0) }
    text.patterns = [pattern]
    lines.patterns = [pattern.toEndOfLine]
    received = session.observe(.received) { [decoder] in decoder.add($0) }
  }
}

extension FailureSearch {
  /// Searches the line of a frame that could be an answer.
  ///
  /// - Parameter isText: whether its bytes are shown as text.
  func add(_ frame: Frame, isText: Bool) {
    frame.answerLine(isText: isText)?.withUnsafeBytes { lines.add($0) }
  }
}

extension ReceivedText.Match {
  /// The message that the device has sent the text that means a failure.
  func failureMessage(_ pattern: ExpectedPattern) -> String {
    let line = (text(0) ?? "").prefix { !$0.isNewline }
    let found = String(line).harmlessLine
    return
      "the device sent '\(found)', which matches --fail-on \(pattern.description.harmless)."
  }
}
