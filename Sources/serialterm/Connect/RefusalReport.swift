import EventLoop

/// Says that what was typed is not sent: at once, and then once a second how much it was.
final class RefusalReport {
  private let loop: EventLoop
  private let say: (String) -> Void
  private var timer: Timer?
  private var count = 0
  /// How many bytes were refused in all.
  private(set) var total = 0

  private static let interval = Duration.seconds(1)

  init(on loop: EventLoop, say: @escaping (String) -> Void) {
    self.loop = loop
    self.say = say
  }

  /// Reports so many bytes, refused for a reason.
  func add(_ bytes: Int, because reason: String) {
    total += bytes
    if timer == nil {
      // A key is what was just pressed; of a paste only its size says what is missing.
      say(bytes == 1 ? "not sent: \(reason)." : "not sent: \(bytes.grouped) bytes, \(reason).")
      waitForMore(because: reason)
    } else {
      count += bytes
    }
  }

  /// Says what has not been said yet.
  func flush() {
    timer = nil
    if count > 0 { say("\(count.grouped) more bytes were not sent.") }
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
