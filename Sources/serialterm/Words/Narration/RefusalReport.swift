import EventLoop
import TextTools

/// Reports input that is not sent. Typed input is reported immediately, then once a second with a
/// count. Input of a pipe is counted, and reported at the end.
final class RefusalReport {
  private let loop: IOLoop
  private let say: (String) -> Void
  private var timer: LoopTimer?
  private var count = 0
  /// Why input of a pipe was refused; nil if none was.
  private var pipeReason: String?
  /// The total number of refused bytes.
  private(set) var total = 0

  private static let interval = Duration.seconds(1)

  init(on loop: IOLoop, say: @escaping (String) -> Void) {
    self.loop = loop
    self.say = say
  }

  /// Counts refused bytes of a pipe; ``flush()`` reports them.
  func addPiped(_ bytes: Int, because reason: String) {
    total += bytes
    pipeReason = reason
  }

  /// Reports typed bytes that were refused for a reason.
  ///
  /// - Parameter advice: a sentence about what the user can do; nil for none.
  func add(_ bytes: Int, because reason: String, advice: String? = nil) {
    total += bytes
    if timer == nil {
      // A single byte is the key that was just pressed. For a paste, the count is useful.
      let words = bytes == 1 ? "not sent" : "not sent (\(bytes.counted("byte")))"
      say("\(words): \(reason)." + (advice.map { " \($0)" } ?? ""))
      waitForMore(because: reason)
    } else {
      count += bytes
    }
  }

  /// Reports the refusals that were not reported yet.
  func flush() {
    timer = nil
    if let reason = pipeReason { say("\(total.bytesWere) not sent: \(reason).") }
    pipeReason = nil
    if count > 0 {
      say("\(count.grouped) more \(count == 1 ? "byte was" : "bytes were") not sent.")
    }
    count = 0
  }

  private func waitForMore(because reason: String) {
    timer = loop.schedule(after: Self.interval) { [unowned self] in
      let continues = count > 0
      flush()
      if continues { waitForMore(because: reason) }
    }
  }
}
