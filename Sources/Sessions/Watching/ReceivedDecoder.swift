package import Encodings
package import EventLoop
import TextStages
package import Time

/// Converts what a device sends to UTF-8, for those who read it as text: expressions,
/// scripts, programs.
///
/// The beginning of a character waits for the rest of it. After a silence it is passed as `\xHH`,
/// as on the screen.
package final class ReceivedDecoder {
  /// The encoding of the device's text. Before a change, what waits is passed on.
  package var encoding: Encoding {
    didSet {
      guard encoding != oldValue else { return }
      flush()
      decode()
    }
  }

  /// Whether bytes that are not UTF-8 are passed as `\xHH` although the encoding is UTF-8.
  package var convertsUTF8 = false {
    didSet { if convertsUTF8 != oldValue { decode() } }
  }

  /// The converter, except for UTF-8, which passes as it is, and the filter, if there is one.
  private var stages: Pipeline
  private let loop: IOLoop
  private let onText: (UnsafeRawBufferPointer, Moment) -> Void
  /// The time of the last bytes, and when they arrived here.
  private var last = (moment: Moment.now, arrival: MonotonicTime.now)
  private var timer: LoopTimer?

  /// The silence after which the beginning of a character is passed on.
  package static let pause = Duration.milliseconds(500)

  /// - Parameters:
  ///   - isHarmless: whether the text is made as harmless as on the screen: escape sequences pass
  ///     the same filter, and bytes that are not UTF-8 become U+FFFD. The beginning of a sequence
  ///     waits, too.
  ///   - onText: called with each piece of text and the time of its last bytes.
  package init(
    _ encoding: Encoding, isHarmless: Bool = false, on loop: IOLoop,
    onText: @escaping (UnsafeRawBufferPointer, Moment) -> Void
  ) {
    (self.encoding, self.loop, self.onText) = (encoding, loop, onText)
    stages = Pipeline(isHarmless ? [EscapeFilter()] : [])
    decode()
  }

  private func decode() {
    stages.stages.removeAll { $0 is DecodingStage }
    // It was converted before, when the option was read: only a lack of memory is left.
    guard convertsUTF8 || !encoding.isUTF8, let decoder = try? DecodingStage(encoding) else {
      return
    }
    stages.stages.insert(decoder, at: 0)
  }

  /// Adds received bytes, and passes on their text.
  package func add(_ bytes: UnsafeRawBufferPointer, at moment: Moment = .now) {
    last = (moment, loop.now)
    if let text = stages.transform(bytes, at: moment) { pass(text) } else { onText(bytes, moment) }
    if stages.isWaiting, timer == nil { wait(for: Self.pause) }
  }

  /// Passes on the beginning of a character, because no more bytes follow.
  package func flush() {
    timer = nil
    pass(stages.flush(at: last.moment))
  }

  private func pass(_ text: [UInt8]) {
    if !text.isEmpty { text.withUnsafeBytes { onText($0, last.moment) } }
  }

  /// Waits for a silence, with one timer for any number of pieces.
  private func wait(for time: Duration) {
    timer = loop.schedule(after: time) { [unowned self] in
      timer = nil
      let rest = last.arrival + Self.pause - loop.now
      if rest > .zero { wait(for: rest) } else { flush() }
    }
  }
}
