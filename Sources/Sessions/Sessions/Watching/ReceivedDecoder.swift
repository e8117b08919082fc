package import Encodings
package import EventLoop
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
      stage = Self.stage(encoding)
    }
  }

  private var stage: DecodingStage?
  private let loop: IOLoop
  private let onText: (UnsafeRawBufferPointer, Moment) -> Void
  private var text: [UInt8] = []
  /// The time of the last bytes, and when they arrived here.
  private var last = (moment: Moment.now, arrival: MonotonicTime.now)
  private var timer: LoopTimer?

  /// The silence after which the beginning of a character is passed on.
  package static let pause = Duration.milliseconds(500)

  /// - Parameter onText: called with each piece of text and the time of its last bytes.
  package init(
    _ encoding: Encoding, on loop: IOLoop,
    onText: @escaping (UnsafeRawBufferPointer, Moment) -> Void
  ) {
    (self.encoding, self.loop, self.onText) = (encoding, loop, onText)
    stage = Self.stage(encoding)
  }

  /// The converter; nil for UTF-8, which passes as it is.
  private static func stage(_ encoding: Encoding) -> DecodingStage? {
    // It was converted before, when the option was read: only a lack of memory is left.
    encoding.isUTF8 ? nil : try? DecodingStage(encoding)
  }

  /// Adds received bytes, and passes on their text.
  package func add(_ bytes: UnsafeRawBufferPointer, at moment: Moment = .now) {
    guard stage != nil else { return onText(bytes, moment) }
    last = (moment, loop.now)
    text.removeAll(keepingCapacity: true)
    stage?.decode(bytes, into: &text)
    pass()
    if stage?.isWaiting == true && timer == nil { wait(for: Self.pause) }
  }

  /// Passes on the beginning of a character, because no more bytes follow.
  package func flush() {
    timer = nil
    guard stage?.isWaiting == true else { return }
    text.removeAll(keepingCapacity: true)
    stage?.flush(into: &text)
    pass()
  }

  private func pass() {
    // The receiver may change the encoding, which uses the array.
    let text = text
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
