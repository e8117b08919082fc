import EventLoop
import Sessions
import TextStages
import Time

/// Makes the text of a device as harmless as on the screen, for a program that shows it: escape
/// sequences pass the same filter, and bytes that are not UTF-8 become U+FFFD.
///
/// The beginning of a sequence or of a character waits for its rest. After a silence it is passed
/// on as text.
final class ShownText {
  private var filter = EscapeFilter()
  private var output: [UInt8] = []
  private let loop: IOLoop
  private let onText: (String, Moment) -> Void
  private var last: (moment: Moment, arrival: MonotonicTime)
  private var timer: LoopTimer?

  /// - Parameter onText: called with each piece of text and the time of its last bytes.
  init(on loop: IOLoop, onText: @escaping (String, Moment) -> Void) {
    (self.loop, self.onText) = (loop, onText)
    last = (.now, loop.now)
  }

  /// Adds text of the device, and passes on what is harmless of it.
  func add(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    last = (moment, loop.now)
    output.removeAll(keepingCapacity: true)
    switch filter.transform(bytes, at: moment, into: &output) {
    case .unchanged: onText(String(decoding: bytes, as: UTF8.self), moment)
    case .changed: pass()
    }
    if filter.isWaiting, timer == nil { wait(for: ReceivedDecoder.pause) }
  }

  /// Passes on what waits, because no more bytes follow.
  func flush() {
    timer = nil
    output.removeAll(keepingCapacity: true)
    filter.flush(into: &output)
    pass()
  }

  private func pass() {
    if !output.isEmpty { onText(String(decoding: output, as: UTF8.self), last.moment) }
  }

  /// Waits for a silence, with one timer for any number of pieces.
  private func wait(for time: Duration) {
    timer = loop.schedule(after: time) { [unowned self] in
      timer = nil
      let rest = last.arrival + ReceivedDecoder.pause - loop.now
      if rest > .zero { wait(for: rest) } else { flush() }
    }
  }
}
