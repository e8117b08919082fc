package import Encodings
package import EventLoop
import Observing
import Patterns
package import SerialCore
import Time

/// Paces everything that a session sends: keys, a paste, a pipe, a file.
package final class Pacer: SendingPacer {
  /// The delays.
  package var pacing = Pacing() {
    didSet {
      pace = Pace(pacing)
      applyPacing()
    }
  }
  /// Whether sending has no delays for now: blocks of a protocol are not lines.
  package var isSuspended = false {
    didSet { if isSuspended != oldValue { applyPacing() } }
  }

  private unowned let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let loop: IOLoop
  private var pace = Pace(Pacing())
  /// The encoding of the device's text.
  package var encoding: Encoding {
    get { decoder.encoding }
    set { decoder.encoding = newValue }
  }
  private lazy var decoder = ReceivedDecoder(.utf8, on: loop) { [unowned self] text, _ in
    prompt.add(text)
  }
  private lazy var prompt = ReceivedTextWatch(on: loop) { [unowned self] _ in promptCame() }
  private var timer: LoopTimer?

  /// Creates the pacer of a session, at first without delays.
  package init(of session: Session, on loop: IOLoop) {
    self.session = session
    self.loop = loop
  }

  private func applyPacing() {
    let isOff = pacing.isUnlimited || isSuspended
    session.pacer = isOff ? nil : self
    observations =
      isOff
      ? []
      : [
        session.observe(.sent) { [unowned self] in sent($0.bytes) },
        session.observe(.received) { [unowned self] in
          if pace.isAwaitingPrompt { decoder.add($0) }
        },
      ]
  }

  /// The sent line whose prompt has not arrived, also if it is not waited for any more; nil
  /// for none.
  package var awaitedLine: Pace.SentLine? { pace.awaitedLine }

  package var isAwaitingAnswer: Bool { pace.isAwaitingPrompt }

  /// Counts the sent lines from 1 again: those of another file.
  package func restartLineCount() { pace.restartCount() }

  package func sessionDidGiveUp(_ session: Session) {
    guard pace.isAwaitingPrompt else { return }
    pace.giveUp()
    prompt.patterns = []
    session.continueSending()
  }

  package func session(_ session: Session, allowanceFor bytes: RawSpan) -> Int {
    bytes.withUnsafeBytes { bytes in
      let count = pace.allowance(for: bytes, at: loop.now)
      if count == 0 { resumeInTime(for: bytes) }
      return count
    }
  }

  private func sent(_ bytes: UnsafeRawBufferPointer) {
    guard pace.sent(bytes, at: loop.now) else { return }
    // Text that arrived earlier is not the prompt after this line.
    prompt.clear()
    prompt.patterns = pacing.waitFor.map { [$0] } ?? []
  }

  private func promptCame() {
    prompt.patterns = []
    pace.promptCame()
    session.continueSending()
  }

  private func resumeInTime(for bytes: UnsafeRawBufferPointer) {
    guard let time = pace.resumption(for: bytes) else { return }
    timer = loop.schedule(after: time - loop.now) { [unowned session] in session.continueSending() }
  }
}
