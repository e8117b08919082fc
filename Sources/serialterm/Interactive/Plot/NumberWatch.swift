import EventLoop
import Plotting
import Sessions
import Time

/// Looks for numbers in what a device sends, until it has found some.
///
/// It reads only a part of a fast stream: a device that sends numbers sends many of them.
final class NumberWatch {
  private let loop: IOLoop
  private let onFound: () -> Void
  private var reader: SampleReader
  private var subscription: Hub.Subscription?
  private var windowEnd: MonotonicTime?
  private var readCount = 0

  /// The number of bytes that are read in a ``window``.
  private static let budget = 8_192
  private static let window = Duration.milliseconds(100)

  /// Starts to look.
  ///
  /// - Parameters:
  ///   - form: the form of the lines; nil for any form that can be detected.
  ///   - onFound: called once, when numbers were found.
  init(
    _ hub: Hub, for form: SampleForm?, on loop: IOLoop, onFound: @escaping () -> Void
  ) {
    self.loop = loop
    self.onFound = onFound
    reader = SampleReader(form)
    subscription = hub.subscribe(as: .listener) { [unowned self] bytes, _ in read(bytes) }
  }

  /// Looks in all bytes of a piece that was received earlier.
  func read(kept bytes: UnsafeRawBufferPointer) {
    if subscription != nil { search(bytes) }
  }

  private func read(_ bytes: UnsafeRawBufferPointer) {
    let now = loop.now
    if windowEnd.map({ now >= $0 }) ?? true {
      windowEnd = now + Self.window
      readCount = 0
    }
    let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.budget - readCount))
    readCount += part.count
    search(part)
    // The beginning of the next line is unknown.
    if part.count < bytes.count { reader.forgetLine() }
  }

  private func search(_ bytes: UnsafeRawBufferPointer) {
    var hasFound = false
    reader.read(bytes, at: 0) { _ in hasFound = true }
    guard hasFound else { return }
    subscription = nil
    onFound()
  }

  /// Forgets the open line: the port was lost, and what follows does not belong to it.
  func forgetLine() { reader.forgetLine() }
}
