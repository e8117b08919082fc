import EventLoop

/// Says that input is not sent. What is typed is answered at once, and then once a second with a
/// count; what comes from a pipe is counted, and said once at the end.
final class RefusalReport {
  private let loop: IOLoop
  private let say: (String) -> Void
  private var timer: LoopTimer?
  private var count = 0
  /// Why what comes from a pipe is refused; nil while nothing was.
  private var pipeReason: String?
  /// How many bytes were refused in all.
  private(set) var total = 0

  private static let interval = Duration.seconds(1)

  init(on loop: IOLoop, say: @escaping (String) -> Void) {
    self.loop = loop
    self.say = say
  }

  /// Counts bytes of a pipe, for ``flush()`` to report.
  func addPiped(_ bytes: Int, because reason: String) {
    total += bytes
    pipeReason = reason
  }

  /// Reports typed bytes that were refused for a reason.
  func add(_ bytes: Int, because reason: String) {
    total += bytes
    if timer == nil {
      // A key is what was just pressed; of a paste only its size says what is missing.
      say(bytes == 1 ? "not sent: \(reason)." : "not sent: \(bytes.counted("byte")), \(reason).")
      waitForMore(because: reason)
    } else {
      count += bytes
    }
  }

  /// Says what has not been said yet.
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
      let isGoingOn = count > 0
      flush()
      if isGoingOn { waitForMore(because: reason) }
    }
  }
}
