import EventLoop
import ModelContext
import Patterns
import Scrollback
import TextTools
import Time

/// Searches what a session keeps for a call, on another thread.
final class AgentSearch: AgentOperation {
  private let session: AgentSession
  private let call: AgentCall
  private let worker: Worker
  private let pattern: Pattern
  private let limit: Int
  private var job: Worker.Job?

  /// The longest time that one search takes of the others.
  private static let searchTime = Duration.milliseconds(300)
  /// The maximum size of the lines in a result, in bytes.
  private static let size = 65_536

  let timeLimit = Duration.seconds(30)
  let isAwaited = true

  /// - Throws: ``AgentMistake`` for a pattern that is no regular expression.
  init(of session: AgentSession, for call: AgentCall, by worker: Worker) throws(AgentMistake) {
    (self.session, self.call, self.worker) = (session, call, worker)
    do throws(PatternError) {
      pattern = try Pattern(parsing: call.arguments.text("pattern") ?? "")
    } catch {
      throw AgentMistake("pattern: not a regular expression: \(error)")
    }
    limit = call.arguments.number("limit") ?? 50
  }

  func begin() {
    let (pattern, limit, scrollback) = (pattern, limit, session.scrollback)
    job = worker.perform(.late) {
      let copy = ScrollbackCopy(of: scrollback)
      return { isOver in
        let deadline = MonotonicTime.now + Self.searchTime
        return copy.matches(of: pattern, limit: limit) { isOver() || .now > deadline }
      }
    } onResult: { [unowned self] in
      switch $0 {
      case .success(let matches): call.finish(outcome(matches))
      case .failure(let error): call.fail("the search cannot begin: \(error)")
      }
    }
  }

  func timeOut() -> AgentCall.Outcome? { .failed("Timed out: other searches took too long.") }

  func stop() { job = nil }

  private func outcome(_ found: ScrollbackMatches) -> AgentCall.Outcome {
    // The newest lines that fit into the result.
    var room = Self.size
    let kept = found.lines.reversed().prefix {
      room -= $0.bytes.count
      return room >= 0
    }
    var lines = [
      "\(found.total.counted("line")) of \(session.portName) match"
        + (found.isComplete ? "." : ", and the search was cut off.")
    ]
    let matches = kept.reversed().map { line in
      let text = line.bytes.withUnsafeBytes { DeviceText($0) }
      lines.append("at \(line.offset):\n\(text.quoted)")
      let time = Timestamp(
        seconds: Int(line.time / 1_000), microseconds: Int(line.time % 1_000) * 1_000)
      return JSON.object([
        ("offset", .integer(line.offset)), ("time", .string(time.rfc3339)),
        ("data", AgentRead.json(of: line.bytes, as: text)),
      ])
    }
    var members: [(String, JSON)] = [
      ("session", .string(session.id)), ("matches", .array(matches)),
      ("total", .integer(found.total)), ("complete", .bool(found.isComplete)),
      ("first_offset", .integer(found.firstOffset)),
    ]
    if found.total > matches.count || !found.isComplete {
      let advice =
        "Only the newest \(matches.count.counted("line")) are here: use a narrower pattern"
        + (matches.count == limit ? " or a higher limit." : ".")
      members.append(("how_to_go_on", .string(advice)))
      lines.append(advice)
    }
    return .done(members, text: lines.joined(separator: "\n"))
  }
}
