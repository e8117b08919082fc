package import Dialogues
package import Encodings
package import Patterns
package import SerialCore
package import Time

/// Runs a script: performs its steps one after the other.
package struct DialogueExchange: Exchange {
  /// A report of a running script.
  package enum Report {
    /// A step begins.
    case step(DialogueRun.Instruction)
    /// The device sent bytes, which were searched.
    case received([UInt8])
    /// The script prints bytes.
    case print([UInt8])
    /// The expression of a repetition has matched.
    case roundMatched
    /// The present step has timed out, and a `try` block of the script handles that. Its bytes
    /// that the driver has not taken were withdrawn.
    case timedOut(End)
  }

  /// How a script ended.
  package enum End {
    /// The script has ended.
    case done
    /// The expected text did not arrive in time.
    case timedOut([ExpectedPattern], after: Duration)
    /// The expression of a repetition did not match in any round.
    case unmatched(Rounds)
    /// Sending made no progress for the time limit.
    case standstill
    /// A file was not sent, because the device did not answer a line in time.
    case unanswered
    /// A line operation was not performed.
    case refused
    /// The port refused the bytes.
    case sendFailed(SerialError)
    /// A text cannot be sent in the encoding of the device.
    case unencodable(UnencodableText)
    /// The script says that it failed, and why.
    case failed([UInt8])
    /// The exchange was stopped, or lost its port.
    case cutOff
  }

  package let author: Author?
  package let reception = ExchangeReception.shared
  private var dialogue: DialogueRun
  private let timeout: Duration
  private let receivesLines: Bool
  /// Converts what is sent; nil for UTF-8.
  private let writer: EncodingWriter?
  private var text = SearchedStream()
  private var awaited = Awaited.other
  private var hasEnded = false

  /// What the present step waits for.
  private enum Awaited {
    /// Everything that was sent is on the line.
    case drain
    /// One of the expressions matches, within the time limit.
    case expectation(Duration)
    /// The expression of a repetition matches, or the round ends.
    case round(Rounds)
    /// Another time, a line operation or another turn of the loop.
    case other
  }

  /// Creates the exchange; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - timeout: the time limit of an expectation without one of its own, and the time limit
  ///     without progress while sending.
  ///   - author: the author of what is sent.
  ///   - writer: converts what is sent to the encoding of the device; nil for UTF-8.
  ///   - receivesLines: whether what is received is whole lines, so that a match is met by a line.
  package init(
    _ dialogue: Dialogue, timeout: Duration, by author: Author = .script,
    encodedBy writer: EncodingWriter? = nil, receivesLines: Bool = false
  ) {
    self.author = author
    self.receivesLines = receivesLines
    self.writer = writer
    self.dialogue = DialogueRun(dialogue)
    self.timeout = timeout
  }

  package mutating func handle(
    _ event: ExchangeEvent, at now: MonotonicTime
  ) -> [ExchangeAction<Report, End>] {
    switch event {
    // The next step follows in another turn of the loop: a script that only prints must not
    // delay other events.
    case .begun, .performed(.done): return [.yield]
    case .drained:
      // After a standstill, what the driver has taken may still go to the device.
      guard case .drain = awaited else { return [] }
      awaited = .other
      return [.watchStandstill(nil), .yield]
    case .resumed: return step(at: now)
    case .received(let bytes):
      text.add(bytes)
      return search()
    case .woken: return woken(at: now)
    case .standstill:
      guard case .drain = awaited else { return [] }
      return timeOut(.standstill)
    case .performed(.refused): return end(.refused)
    case .performed(.timedOut): return timeOut(.unanswered)
    case .sendFailed(let error): return end(.sendFailed(error))
    case .stopped: return [.withdraw] + flush() + end(.cutOff)
    // Bytes that were already sent still go to the device, or are counted as unsent.
    case .leaving, .cutOff: return flush() + end(.cutOff)
    case .sent, .read, .endOfSource, .sourceFailed, .room, .stored, .storageFailed, .lost,
      .regained:
      return []
    }
  }

  /// The time of the present step is over.
  private mutating func woken(at now: MonotonicTime) -> Actions {
    switch awaited {
    case .drain: return []
    case .other: return [.yield]
    case .expectation(let limit):
      let expressions = text.patterns
      let actions = flush()
      // What was held may have matched.
      guard case .expectation = awaited else { return actions }
      return actions + timeOut(.timedOut(expressions, after: limit))
    case .round(let rounds):
      guard dialogue.roundIsOver(at: now) else { return timeOut(.unmatched(rounds)) }
      return expectNothing() + [.yield]
    }
  }

  /// Handles a step that has timed out: the script goes on in the `else` block of the innermost
  /// `try`, or ends if there is none. The `else` block must not begin with what the failed step
  /// still had to send.
  private mutating func timeOut(_ end: End) -> Actions {
    guard dialogue.timedOut() else { return self.end(end) }
    return [.withdraw, .watchStandstill(nil)] + expectNothing()
      + [.wake(at: nil), .report(.timedOut(end)), .yield]
  }

  /// Stops the search. What was received and has not matched is searched for the next
  /// expressions.
  private mutating func expectNothing() -> Actions {
    awaited = .other
    text.patterns = []
    return search()
  }

  private mutating func step(at now: MonotonicTime) -> Actions {
    guard let instruction = dialogue.next(at: now) else { return end(.done) }
    let begin = ExchangeAction<Report, End>.report(.step(instruction))
    switch instruction.action {
    case .send(let text):
      let bytes: [UInt8]
      do throws(UnencodableText) {
        bytes = try encoded(text)
      } catch {
        return [begin] + end(.unencodable(error))
      }
      awaited = .drain
      // The next step may be a break or a change of settings, which must not overtake these bytes.
      return [begin, .send(bytes), .watchStandstill(timeout), .drain]
    case .expect(let expressions, let limit):
      let limit = limit ?? timeout
      return [begin] + expect(expressions, until: now + limit, as: .expectation(limit))
    case .beginRounds: return [begin, .yield]
    case .awaitRound(let rounds, _, let end):
      let expressions = rounds.expression.map { [$0] } ?? []
      return [begin] + expect(expressions, until: end ?? now + timeout, as: .round(rounds))
    case .wait(let duration): return [begin, .wake(at: now + duration)]
    case .set(let line, let isOn):
      let lines = line.modemLines
      return [
        begin,
        .perform(.setLines(asserting: isOn ? lines : [], deasserting: isOn ? [] : lines)),
      ]
    case .setBaudRate(let rate): return [begin, .perform(.setBaudRate(rate))]
    case .sendBreak(let duration): return [begin, .perform(.sendBreak(duration))]
    case .pulse(let line, let duration):
      return [begin, .perform(.pulse(line.modemLines, duration))]
    case .transfer(let files): return [begin] + flush() + [.perform(.transfer(files))]
    case .print(let bytes):
      return [begin] + flush() + [.report(.print(bytes + [UInt8(ascii: "\n")])), .yield]
    case .fail(let reason): return [begin] + end(.failed(reason))
    }
  }

  private mutating func expect(
    _ expressions: [ExpectedPattern], until time: MonotonicTime, as awaited: Awaited
  ) -> Actions {
    self.awaited = awaited
    text.patterns = receivesLines ? expressions.map(\.toEndOfLine) : expressions
    return [.wake(at: time)] + search()
  }

  private func encoded(_ text: [UInt8]) throws(UnencodableText) -> [UInt8] {
    guard let writer else { return text }
    var bytes: [UInt8] = []
    try writer.encode(text, into: &bytes)
    return bytes
  }

  private mutating func flush() -> Actions {
    text.flush()
    return search()
  }

  private mutating func search() -> Actions {
    var actions: Actions = []
    while let event = text.next() {
      switch event {
      case .passed(let bytes): actions.append(.report(.received(bytes)))
      case .matched(let match):
        if case .round = awaited { actions.append(.report(.roundMatched)) }
        awaited = .other
        text.patterns = []
        dialogue.matched(match.index, captures: match.captures)
        actions += [.wake(at: nil), .yield]
      }
    }
    return actions
  }

  /// Ends the exchange. Only the first reason counts.
  private mutating func end(_ end: End) -> Actions {
    defer { hasEnded = true }
    return hasEnded ? [] : [.finish(end)]
  }
}

extension OutputLine {
  fileprivate var modemLines: ModemLines {
    switch self {
    case .dtr: .dtr
    case .rts: .rts
    }
  }
}
