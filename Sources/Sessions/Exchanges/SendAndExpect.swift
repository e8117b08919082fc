package import Encodings
package import Patterns
package import SerialCore
package import SystemPackage
package import Time

/// Sends bytes or a source, and waits for the answer. Waits for a prompt first, if one is given.
package struct SendAndExpect: Exchange {
  /// What to send.
  package enum Content {
    case bytes([UInt8])
    /// The source of the runner: a file, or standard input.
    case source(PlainFile)
  }

  /// What the exchange waits for.
  package enum Phase: Hashable, Sendable {
    case prompt, sending, answer
  }

  /// A report of the running exchange.
  package enum Report: Hashable, Sendable {
    /// Bytes of the answer, up to the end of the match.
    case answer([UInt8])
    /// The match lies before the device's echo of the text, or before the end of the file: it is no
    /// answer to that.
    case matchedTooEarly
    /// The device sent the text that means a failure. The exchange expects nothing more; the
    /// session ends, and cuts it off.
    case failed(ReceivedText.Match)
    /// The prompt or the answer did not arrive in time, or sending made no progress. The exchange
    /// expects nothing more; the session ends, and cuts it off.
    case timedOut(Phase)
  }

  /// How the exchange ended.
  package enum End: Hashable, Sendable {
    /// Everything was sent. The value is the match of the expected answer; nil if
    /// none was expected.
    case done(ReceivedText.Match?)
    /// The source could not be read to its end.
    case unreadable(Errno)
    /// The port refused the bytes.
    case refused(SerialError)
    /// The exchange was stopped, or lost its port.
    case cutOff
  }

  package let author: Author?
  package let reception = ExchangeReception.shared
  package let reportsUnsent: Bool
  /// The file or other source that is sent; nil for bytes.
  package private(set) var file: PlainFile?

  private let bytes: [UInt8]
  private let prompt: ExpectedPattern?
  private let expectation: ExpectedPattern?
  private let failure: ExpectedPattern?
  private let timeout: Duration
  /// The wait for an answer that is not known; nil for none.
  private var linger: Linger?
  private var text = SearchedStream()
  /// What the exchange waits for now.
  package private(set) var phase = Phase.prompt
  /// Whether it has timed out or failed.
  private var hasFailed = false
  /// The answer, while it is not known that everything was sent before it.
  private var answer: ReceivedText.Match?
  /// The echo of the sent text; nil if it could not be recognised.
  private var echo: EchoSearch?
  private var hasReadSource = false
  private var hasEnded = false

  /// The time after the answer in which a late echo shows that the answer is text from
  /// before the command.
  private static let echoPatience = Duration.milliseconds(50)

  /// Creates the exchange; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - prompt: what the device must send first; nil for nothing.
  ///   - expectation: the expected answer; nil for none.
  ///   - failure: the text that means a failure, from when something is sent; nil for none.
  ///   - timeout: the time limit for the prompt and for the answer. While sending with an expected
  ///     answer, it is the time limit without progress. Without an expected answer, it is the time
  ///     limit for the answer that paced sending waits for; otherwise sending has no limit, as for
  ///     a pipe.
  ///   - linger: the wait for an answer that is not known, or after a file for a failure; nil
  ///     for none.
  ///   - mayBeEchoed: whether what is received may contain the echo of what was sent.
  ///   - encoding: the encoding of what is sent. What is received is UTF-8.
  package init(
    _ content: Content, after prompt: ExpectedPattern? = nil,
    expecting expectation: ExpectedPattern? = nil, failingOn failure: ExpectedPattern? = nil,
    within timeout: Duration, lingering linger: Linger? = nil, mayBeEchoed: Bool = true,
    in encoding: Encoding = .utf8
  ) {
    switch content {
    case .bytes(let bytes): (self.bytes, file, author) = (bytes, nil, .program)
    case .source(let file): (bytes, self.file, author) = ([], file, file.author)
    }
    reportsUnsent = file?.author?.kind == .file
    if expectation != nil && mayBeEchoed {
      // Without a converter, no echo is found: then no match is taken for text from before it.
      echo = (try? DecodingStage.text(of: bytes, in: encoding)).flatMap { EchoSearch(of: $0) }
    }
    self.prompt = prompt
    self.expectation = expectation
    self.failure = failure
    self.timeout = timeout
    self.linger = expectation == nil ? linger : nil
  }

  /// Whether everything was sent, and the exchange waits for whatever comes.
  package var isLingering: Bool { phase == .answer && linger != nil && !hasEnded }

  package mutating func handle(
    _ event: ExchangeEvent, at now: MonotonicTime
  ) -> [ExchangeAction<Report, End>] {
    switch event {
    case .begun:
      guard let prompt else { return send(at: now) }
      text.patterns = [prompt]
      return [.wake(at: now + timeout)] + search(at: now)
    case .received(let bytes):
      text.add(bytes)
      return search(at: now) + (isLingering ? goOnLingering(at: now) : [])
    case .endOfSource:
      hasReadSource = true
      return pass(event, at: now)
    case .read, .sourceFailed, .sent: return pass(event, at: now)
    case .drained: return awaitAnswer(at: now)
    case .woken where phase == .answer && answer != nil: return end(.done(answer))
    case .woken where isLingering: return endLingering(at: now)
    case .woken, .standstill:
      text.flush()
      let actions = search(at: now)
      hasFailed = true
      return actions + [.report(.timedOut(phase))]
    case .sendFailed(let error): return end(.refused(error))
    case .leaving, .performed, .resumed, .room, .stored, .storageFailed, .lost, .regained: return []
    case .stopped: return [.withdraw] + end(.cutOff)
    // Everything was sent, and what came is printed.
    case .cutOff where isLingering && !hasFailed: return endLingering(at: now)
    case .cutOff: return pass(event, at: now) + end(.cutOff)
    }
  }

  // MARK: Sending

  private mutating func send(at now: MonotonicTime) -> Actions {
    // Text that arrived earlier is not the answer.
    text.clear()
    phase = .sending
    // Of two that begin at the same byte, the failure counts.
    text.patterns = [failure, expectation].compactMap { $0 }
    let limit: Actions = expectation == nil ? [.watchAnswers(timeout)] : [.watchStandstill(timeout)]
    return limit + (file == nil ? [.send(bytes), .drain] : pass(.begun, at: now))
  }

  /// Passes an event to the file, and carries out its actions.
  private mutating func pass(_ event: ExchangeEvent, at now: MonotonicTime) -> Actions {
    guard var file else { return [] }
    defer { self.file = file }
    return file.handle(event, at: now).flatMap { action -> Actions in
      switch action {
      case .send(let bytes): [.send(bytes)]
      case .read(let limit): [.read(atMost: limit)]
      case .withdraw: [.withdraw]
      case .finish(.done): [.drain]
      case .finish(.unreadable(let error)): end(.unreadable(error))
      case .finish, .report, .drain, .watchStandstill, .watchAnswers, .perform, .wake, .yield,
        .awaitRoom, .store, .pass:
        []
      }
    }
  }

  // MARK: Waiting

  private mutating func awaitAnswer(at now: MonotonicTime) -> Actions {
    if hasFailed { return [] }
    phase = .answer
    if let linger, !linger.isNone { return goOnLingering(at: now) }
    if expectation == nil { return end(.done(nil)) }
    if answer != nil { return awaitEcho(at: now) }
    return [.watchStandstill(nil), .wake(at: now + timeout)]
  }

  private mutating func goOnLingering(at now: MonotonicTime) -> Actions {
    guard !hasFailed, let end = linger?.end(at: now) else { return [] }
    return [.watchStandstill(nil), .wake(at: end)]
  }

  private mutating func endLingering(at now: MonotonicTime) -> Actions {
    text.flush()
    let actions = search(at: now)
    return hasFailed ? actions : actions + end(.done(nil))
  }

  /// Ends the exchange with the answer, unless the echo of the text may still come.
  private mutating func awaitEcho(at now: MonotonicTime) -> Actions {
    guard let echo, !echo.isFound else { return end(.done(answer)) }
    return [.watchStandstill(nil), .wake(at: now + Self.echoPatience)]
  }

  private mutating func search(at now: MonotonicTime) -> Actions {
    var actions: Actions = []
    while !hasEnded, !hasFailed, let event = text.next() {
      switch event {
      case .passed(let bytes):
        guard phase != .prompt, expectation != nil || linger != nil && file == nil else {
          continue
        }
        let wasEchoed = echo?.isFound ?? true
        echo?.add(bytes)
        if answer == nil {
          actions.append(.report(.answer(bytes)))
        } else if !wasEchoed, echo?.isFound == true {
          actions.append(.report(.matchedTooEarly))
          if phase == .answer { actions += end(.done(answer)) }
        }
      case .matched(let match): actions += met(match, at: now)
      }
    }
    return actions
  }

  private mutating func met(_ match: ReceivedText.Match, at now: MonotonicTime) -> Actions {
    let isFailure = phase != .prompt && failure != nil && match.index == 0
    text.patterns = []
    if isFailure {
      hasFailed = true
      return [.wake(at: nil), .watchStandstill(nil), .report(.failed(match))]
    }
    switch phase {
    case .prompt: return [.wake(at: nil)] + send(at: now)
    case .sending:
      answer = match
      // The rest may contain the echo.
      text.flush()
      guard reportsUnsent, !hasReadSource else { return [] }
      // The rest of the file may fail.
      text.patterns = [failure].compactMap { $0 }
      return [.report(.matchedTooEarly)]
    case .answer:
      answer = match
      text.flush()
      return awaitEcho(at: now)
    }
  }

  /// Ends the exchange. Only the first reason counts.
  private mutating func end(_ end: End) -> Actions {
    defer { hasEnded = true }
    return hasEnded ? [] : [.finish(end)]
  }
}
