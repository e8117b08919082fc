import EventLoop
import Posix
import Scripting
import SerialCore

/// Paces what a session sends, wherever that comes from: keys, a paste, a pipe, a file.
final class Pacer: SessionObserver, SendingPacer {
  private unowned let session: Session
  private let loop: EventLoop
  private var pace: Pace
  private let prompt: ReceivedTextWatch
  private let waitFor: Expression?
  private var timer: Timer?

  /// Creates the pacer of a session; nil where nothing has to be paced.
  init?(_ pacing: Pacing, of session: Session, on loop: EventLoop) {
    guard !pacing.isUnlimited else { return nil }
    self.session = session
    self.loop = loop
    pace = Pace(
      byteDelay: pacing.byteDelay, lineDelay: pacing.lineDelay,
      awaitsPrompt: pacing.waitFor != nil)
    waitFor = pacing.waitFor
    prompt = ReceivedTextWatch(on: loop)
    prompt.onMatch = { [unowned self] _ in promptCame() }
    session.pacer = self
    session.addObserver(self)
  }

  /// Whether the next line waits for the prompt.
  var isAwaitingPrompt: Bool { pace.isAwaitingPrompt }

  func session(_ session: Session, allowanceFor bytes: RawSpan) -> Int {
    let count = bytes.withUnsafeBytes { pace.allowance(for: $0, at: .now) }
    if count == 0 { resumeInTime() }
    return count
  }

  func session(_ session: Session, didSend bytes: RawSpan) {
    guard bytes.withUnsafeBytes({ pace.sent($0, at: .now) }) else { return }
    // What came before is no answer to this line.
    prompt.clear()
    prompt.expressions = waitFor.map { [$0] } ?? []
  }

  func session(_ session: Session, didReceive bytes: RawSpan) {
    guard pace.isAwaitingPrompt else { return }
    bytes.withUnsafeBytes { prompt.add($0) }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {}

  private func promptCame() {
    prompt.expressions = []
    pace.promptCame()
    session.continueSending()
  }

  private func resumeInTime() {
    guard let time = pace.resumption else { return }
    timer = loop.schedule(after: time - .now) { [unowned session] in session.continueSending() }
  }
}
