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
  /// The offset before which lines are searched.
  private let end: Int
  private var job: Worker.Job?

  /// The longest time that one search takes of the others.
  private static let searchTime = Duration.milliseconds(300)
  /// The size of a line in an answer besides its bytes: offsets, a time and names.
  private static let lineSize = 160

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
    end = call.arguments.number("before") ?? .max
  }

  func begin() {
    let (pattern, end, limit, scrollback) = (pattern, end, limit, session.scrollback)
    job = worker.perform(.late) {
      let copy = ScrollbackCopy(of: scrollback)
      return { isOver in
        let deadline = MonotonicTime.now + Self.searchTime
        return copy.matches(of: pattern, before: end, limit: limit) { isOver() || .now > deadline }
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
    // The newest lines that fit into the answer. The first of them may be cut.
    var room = AgentCall.dataLimit
    var kept: [(line: ScrollbackMatches.Line, text: DeviceText)] = []
    for line in found.lines.reversed() {
      room -= Self.lineSize
      let text = line.bytes.withUnsafeBytes { DeviceText($0, fitting: max(0, room)) }
      guard kept.isEmpty || room >= 0 && text.byteCount == line.bytes.count else { break }
      kept.append((line, text))
      room -= text.answerSize
    }
    var lines = [
      "\(found.total.counted("line")) of \(session.portName) match"
        + (found.isComplete ? "." : ", and the search was cut off.")
    ]
    let matches = kept.reversed().map { line, text in
      lines.append("at \(line.offset):\n\(text.quoted)")
      let time = Timestamp(
        seconds: Int(line.time / 1_000), microseconds: Int(line.time % 1_000) * 1_000)
      return JSON.object([
        ("offset", .integer(line.offset)), ("time", .string(time.rfc3339)),
        ("data", AgentRead.json(of: Array(line.bytes.prefix(text.byteCount)), as: text)),
      ])
    }
    var members: [(String, JSON)] = [
      ("session", .string(session.id)), ("matches", .array(matches)),
      ("total", .integer(found.total)), ("complete", .bool(found.isComplete)),
      ("first_offset", .integer(found.firstOffset)),
    ]
    if let advice = advice(found, kept) {
      members.append(("how_to_go_on", .string(advice)))
      lines.append(advice)
    }
    return .done(members, text: lines.joined(separator: "\n"))
  }

  private func advice(
    _ found: ScrollbackMatches, _ kept: [(line: ScrollbackMatches.Line, text: DeviceText)]
  ) -> String? {
    var advice: [String] = []
    if let (line, text) = kept.first, text.byteCount < line.bytes.count {
      advice.append(
        "The newest line is cut at \(text.byteCount.counted("byte")): "
          + "go on with read, offset \(line.offset + text.byteCount).")
    }
    if found.total > kept.count, let oldest = kept.last {
      advice.append(
        (kept.count == 1 ? "Only the newest line is" : "Only the newest \(kept.count) lines are")
          + " here: search again, before \(oldest.line.offset), or use a narrower pattern.")
    } else if !found.isComplete {
      advice.append(
        "Older lines were not searched: search again, before \(found.searchedOffset).")
    }
    return advice.isEmpty ? nil : advice.joined(separator: " ")
  }
}
