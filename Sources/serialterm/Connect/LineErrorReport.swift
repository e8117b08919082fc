import EventLoop
import SerialCore

/// Says that bytes came with errors, or breaks: the first at once, and then once a second how many
/// there were. A wrong speed makes thousands.
final class LineErrorReport: SessionObserver {
  /// Called with what is to be said.
  var say: (String) -> Void = { _ in }

  private let loop: EventLoop
  private var timer: Timer?
  private var count = 0

  private static let interval = Duration.seconds(1)

  init(_ session: Session, on loop: EventLoop) {
    self.loop = loop
    session.addObserver(self)
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {}

  func session(_ session: Session, didReceiveError error: LineError) {
    guard timer == nil else { return count += 1 }
    say(error.words)
    waitForMore()
  }

  private func waitForMore() {
    timer = loop.schedule(after: Self.interval) { [unowned self] in
      timer = nil
      guard count > 0 else { return }
      say("\(count.grouped) more errors or breaks were received.")
      count = 0
      waitForMore()
    }
  }
}

extension LineError {
  fileprivate var words: String {
    switch self {
    case .damaged(let byte):
      "a byte came with a parity or framing error: 0x\(String(byte, radix: 16, uppercase: true))."
    case .breakOrDamagedZero: "a break was received, or a zero with an error."
    }
  }
}
