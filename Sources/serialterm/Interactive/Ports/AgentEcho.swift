import Dialogues
import EventLoop
import Observing
import SerialCore
import Sessions
import TextTools

/// Tells the user what agents write to a port: not every device echoes it. What an agent writes in
/// one turn of the loop is one line, and only its beginning is shown.
final class AgentEcho {
  private var sent: ObservationToken<SessionEvent>?
  private let loop: IOLoop
  private let show: (String) -> Void
  private var agent: Author?
  private var beginning: [UInt8] = []
  private var count = 0

  /// The number of bytes that are shown.
  private static let shownLimit = 60

  /// - Parameter show: shows a line.
  init(of session: Session, on loop: IOLoop, show: @escaping (String) -> Void) {
    (self.loop, self.show) = (loop, show)
    sent = session.observe(.sent) { [unowned self] in
      guard $0.author.kind == .agent else { return }
      add($0.bytes, by: $0.author)
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer, by author: Author) {
    if agent != author { showLine() }
    if count == 0 { loop.atEndOfTurn { [weak self] in self?.showLine() } }
    agent = author
    beginning += bytes.prefix(Self.shownLimit - beginning.count)
    count += bytes.count
  }

  private func showLine() {
    guard let agent, count > 0 else { return }
    let rest = count - beginning.count
    show(
      "--- \(agent.name): \(EscapedText.quoted(beginning))"
        + (rest > 0 ? " and \(rest.counted("byte"))" : "") + " ---")
    (beginning, count) = ([], 0)
  }
}
