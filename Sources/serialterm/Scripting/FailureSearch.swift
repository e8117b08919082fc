import Encodings
import EventLoop
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
  private let decoder: ReceivedDecoder
  private var received: ObservationToken<SessionEvent>?

  /// Starts to search.
  ///
  /// - Parameter onFailure: called once, with a message.
  init(
    _ pattern: ExpectedPattern, in session: Session, encoding: Encoding, on loop: IOLoop,
    onFailure: @escaping (String) -> Void
  ) {
    var isFound = false
    let text = ReceivedTextWatch(on: loop) { match in
      guard !isFound else { return }
      isFound = true
      onFailure(match.failureMessage(pattern))
    }
    self.text = text
    decoder = ReceivedDecoder(encoding, on: loop) { bytes, _ in text.add(bytes) }
    text.patterns = [pattern]
    received = session.observe(.received) { [decoder] in decoder.add($0) }
  }
}

extension ReceivedText.Match {
  /// The message that the device has sent the text that means a failure.
  func failureMessage(_ pattern: ExpectedPattern) -> String {
    let found = (text(0) ?? "").harmlessLine
    return
      "the device sent '\(found)', which matches --fail-on \(pattern.description.harmless)."
  }
}
