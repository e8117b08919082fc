package import Patterns
package import SerialCore
package import Time

/// Sends the same bytes at the moments of a schedule, and waits for an answer to each. Waits for a
/// prompt before the first, if one is given.
///
/// A request begins at a moment of the schedule and ends when its bytes are on the line and its
/// answer has come, or is lost. A moment that comes before that end is missed: it is counted, and
/// not caught up.
package struct RepeatedRequest: Exchange {
  /// A report of the running exchange.
  package enum Report: Hashable, Sendable {
    /// Bytes of an answer, up to the end of the match; without an expected answer, all bytes.
    case answer([UInt8])
    /// The match of an answer, whose bytes were reported.
    case answered(ReceivedText.Match)
    /// The prompt did not arrive in time, or sending made no progress. The exchange expects
    /// nothing more; the session ends, and cuts it off.
    case timedOut(SendAndExpect.Phase)
  }

  /// How the exchange ended.
  package enum End: Hashable, Sendable {
    /// The last request has ended.
    case done
    /// The port refused the bytes.
    case refused(SerialError)
    /// The exchange was stopped, or lost its port.
    case cutOff
  }

  package let author: Author? = .program
  package let reception = ExchangeReception.shared
  /// The times from the moment at which the bytes were handed over for sending to the end of
  /// the answer, and the number of answers that were lost.
  package private(set) var trips = RoundTrips()

  private let bytes: [UInt8]
  private let interval: Duration
  private let count: Int64?
  private let prompt: ExpectedPattern?
  private let expectation: ExpectedPattern?
  private let timeout: Duration
  private var text = SearchedStream()
  /// The moments; nil until the prompt has come.
  private var schedule: RepeatSchedule?
  /// The request that has not ended; nil between two moments.
  private var request: Request?
  private var hasTimedOut = false
  private var linger: Linger
  /// Whether the last request has ended, and the exchange waits for whatever comes.
  package private(set) var isLingering = false

  private struct Request {
    let start: MonotonicTime
    /// Whether the answer has not come.
    var isAwaited: Bool
    /// Whether the bytes are on the line.
    var isSent = false
  }

  /// Creates the exchange; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - interval: the time from one request to the next, at least a nanosecond.
  ///   - count: the number of requests, at least 1; nil for no end.
  ///   - prompt: what the device must send first; nil for nothing.
  ///   - expectation: the expected answer; nil for none.
  ///   - timeout: the time limit for the prompt, and for each answer from when its request is on
  ///     the line. Until then, it is the time limit without progress, if an answer is expected;
  ///     otherwise, for the answer that paced sending waits for.
  ///   - linger: the wait after the last request, if no answer is expected.
  package init(
    _ bytes: [UInt8], every interval: Duration, count: Int64? = nil,
    after prompt: ExpectedPattern? = nil, expecting expectation: ExpectedPattern? = nil,
    within timeout: Duration, lingering linger: Linger = Linger(.zero)
  ) {
    self.linger = linger
    (self.bytes, self.interval, self.count) = (bytes, interval, count)
    (self.prompt, self.expectation, self.timeout) = (prompt, expectation, timeout)
  }

  /// The number of requests that were begun.
  package var sentCount: Int64 { schedule?.doneCount ?? 0 }
  /// The number of moments that were missed.
  package var missedCount: Int64 { schedule?.missedCount ?? 0 }
  /// Whether an answer to each request is expected.
  package var expectsAnswers: Bool { expectation != nil }
  /// Whether the answer to the last request is still awaited.
  package var isAwaitingAnswer: Bool { request?.isAwaited == true }

  package mutating func handle(
    _ event: ExchangeEvent, at now: MonotonicTime
  ) -> [ExchangeAction<Report, End>] {
    switch event {
    case .cutOff: return [.finish(isLingering ? .done : .cutOff)]
    case .stopped: return [.withdraw, .finish(.cutOff)]
    case _ where hasTimedOut: return []
    case .begun:
      guard let prompt else { return start(at: now) }
      text.patterns = [prompt]
      return [.wake(at: now + timeout)] + search(at: now)
    case .received(let bytes):
      // What comes between two requests is not the expected answer.
      guard isSearching else { return [] }
      text.add(bytes)
      return search(at: now) + (isLingering ? goOnLingering(at: now) : [])
    case .drained:
      request?.isSent = true
      guard isAwaitingAnswer else { return endRequest(at: now) }
      return [.watchStandstill(nil), .wake(at: now + timeout)]
    case .woken:
      if schedule == nil { return timeOut(.prompt) }
      if isLingering { return [.finish(.done)] }
      guard request != nil else { return proceed(at: now) }
      trips.addLoss()
      return endRequest(at: now)
    case .standstill: return timeOut(.sending)
    case .sendFailed(let error): return [.finish(.refused(error))]
    case .read, .endOfSource, .sourceFailed, .sent, .leaving, .performed, .resumed, .room, .stored,
      .storageFailed, .lost, .regained:
      return []
    }
  }

  // MARK: The moments

  private mutating func start(at now: MonotonicTime) -> Actions {
    schedule = RepeatSchedule(from: now, every: interval, count: count)
    return proceed(at: now)
  }

  /// Begins the next request if it is due, or waits for its moment.
  private mutating func proceed(at now: MonotonicTime) -> Actions {
    guard let next = schedule?.next else {
      if expectsAnswers || linger.isNone { return [.finish(.done)] }
      isLingering = true
      return goOnLingering(at: now)
    }
    guard schedule?.advance(to: now) == true else { return [.wake(at: next)] }
    // Text that arrived earlier is not the answer.
    text.clear()
    text.patterns = expectation.map { [$0] } ?? []
    request = Request(start: now, isAwaited: expectsAnswers)
    let limit: Actions = expectsAnswers ? [.watchStandstill(timeout)] : [.watchAnswers(timeout)]
    return limit + [.send(bytes), .drain]
  }

  private mutating func goOnLingering(at now: MonotonicTime) -> Actions {
    [.watchStandstill(nil), .wake(at: linger.end(at: now))]
  }

  private mutating func endRequest(at now: MonotonicTime) -> Actions {
    request = nil
    schedule?.miss(until: now)
    return proceed(at: now)
  }

  private mutating func timeOut(_ phase: SendAndExpect.Phase) -> Actions {
    hasTimedOut = true
    return [.report(.timedOut(phase))]
  }

  // MARK: What is received

  /// Whether the prompt or an answer is awaited, or everything is an answer.
  private var isSearching: Bool { schedule == nil || isAwaitingAnswer || !expectsAnswers }

  private mutating func search(at now: MonotonicTime) -> Actions {
    var actions: Actions = []
    while isSearching, let event = text.next() {
      switch event {
      case .passed(let bytes): if schedule != nil { actions.append(.report(.answer(bytes))) }
      case .matched(let match): actions += found(match, at: now)
      }
    }
    return actions
  }

  private mutating func found(_ match: ReceivedText.Match, at now: MonotonicTime) -> Actions {
    guard let request else { return [.wake(at: nil)] + start(at: now) }
    trips.add(now - request.start)
    self.request?.isAwaited = false
    return [.report(.answered(match))] + (request.isSent ? endRequest(at: now) : [])
  }
}
