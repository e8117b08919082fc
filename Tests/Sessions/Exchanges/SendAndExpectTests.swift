import SerialCore
import Sessions
import SystemPackage
import Testing
import Time

@testable import Patterns

/// The exchange that sends and waits for an answer: events go in, actions come out. The clock
/// stays at 0.
@Suite struct SendAndExpectTests {
  private typealias Actions = SendAndExpect.Actions
  private typealias Row = (ExchangeEvent, Actions)

  private let start = MonotonicTime(nanoseconds: 0)
  private var limit: MonotonicTime { start + .seconds(5) }

  private func expression(_ text: String) throws -> ExpectedPattern {
    try ExpectedPattern.regex(text)
  }

  private func exchange(
    _ content: SendAndExpect.Content = .bytes([1, 2]), after prompt: String? = nil,
    expecting answer: String? = nil, failingOn failure: String? = nil,
    lingering linger: Linger? = nil
  ) throws -> SendAndExpect {
    SendAndExpect(
      content, after: try prompt.map(expression), expecting: try answer.map(expression),
      failingOn: try failure.map(expression), within: .seconds(5), lingering: linger)
  }

  /// Runs events through an exchange, and checks the actions after each.
  private func check(_ exchange: SendAndExpect, _ rows: [Row]) -> SendAndExpect {
    var exchange = exchange
    for (index, (event, expected)) in rows.enumerated() {
      let actions = exchange.handle(event, at: start)
      #expect(actions == expected, "event \(index), \(event)")
    }
    return exchange
  }

  private func received(_ text: String) -> ExchangeEvent { .received(Array(text.utf8)) }

  private func answer(_ text: String) -> ExchangeAction<SendAndExpect.Report, SendAndExpect.End> {
    .report(.answer(Array(text.utf8)))
  }

  private func match(
    _ text: String, after before: String = "", upTo end: Int
  ) -> ReceivedText.Match {
    ReceivedText.Match(
      index: 0, before: Array(before.utf8), captures: [Array(text.utf8)], end: end)
  }

  // MARK: What is sent

  @Test func withoutAnAnswer_itIsDoneWhenEverythingIsOnTheLine_andShowsNothing() throws {
    _ = check(
      try exchange(),
      [
        (.begun, [.watchAnswers(.seconds(5)), .send([1, 2]), .drain]), (.sent(2), []),
        (received("ok"), []),
        (.drained, [.finish(.done(nil))]),
      ])
  }

  @Test func aFile_isReadAndSent_thenDrained() throws {
    let file = PlainFile("image.bin", size: 2)
    let exchange = check(
      try exchange(.source(file)),
      [
        (.begun, [.watchAnswers(.seconds(5)), .read(atMost: 32_768)]),
        (.read([1, 2]), [.send([1, 2]), .read(atMost: 32_768)]),
        (.sent(1), []), (.endOfSource, []), (.sent(1), [.drain]),
        (.drained, [.finish(.done(nil))]),
      ])
    #expect(exchange.author == .file("image.bin"))
    #expect(exchange.reportsUnsent)
    #expect(exchange.file?.sentCount == 2)
  }

  // MARK: An answer that is not known

  @Test func `Without an expected answer, what comes is shown until the device is silent`() throws {
    let exchange = check(
      try exchange(after: "> ", lingering: Linger(.milliseconds(200))),
      [
        (.begun, [.wake(at: limit)]),
        (received("boot> "), [.wake(at: nil), .watchAnswers(.seconds(5)), .send([1, 2]), .drain]),
        (received("echo"), [answer("echo")]),
        (.drained, [.watchStandstill(nil), .wake(at: start + .milliseconds(200))]),
        (
          received("ok"),
          [answer("ok"), .watchStandstill(nil), .wake(at: start + .milliseconds(200))]
        ),
      ])
    #expect(exchange.isLingering)
    #expect(check(exchange, [(.woken, [.finish(.done(nil))])]).isLingering == false)
    // A device that is gone then has taken everything.
    _ = check(exchange, [(.cutOff(sent: 2), [.finish(.done(nil))])])
  }

  @Test func `A device that never is silent is listened to for five seconds`() {
    var linger = Linger(.milliseconds(200))
    #expect(linger.end(at: start) == start + .milliseconds(200))
    #expect(linger.end(at: start + .seconds(4)) == start + .milliseconds(4_200))
    #expect(linger.end(at: start + .milliseconds(4_900)) == start + .seconds(5))
    var long = Linger(.seconds(60))
    #expect(long.end(at: start) == start + .seconds(60))
    #expect(long.end(at: start + .seconds(30)) == start + .seconds(60))
  }

  @Test func `A wait of zero shows what came while it was sent`() throws {
    _ = check(
      try exchange(lingering: Linger(.zero)),
      [
        (.begun, [.watchAnswers(.seconds(5)), .send([1, 2]), .drain]),
        (received("ok"), [answer("ok")]), (.drained, [.finish(.done(nil))]),
      ])
  }

  // MARK: Failures

  @Test func `The text of a failure ends it, whatever else is expected`() throws {
    func failure(_ index: Int, after before: String, upTo end: Int) -> SendAndExpect.Actions {
      let found = ReceivedText.Match(
        index: index, before: Array(before.utf8), captures: [Array("error".utf8)], end: end)
      return [.wake(at: nil), .watchStandstill(nil), .report(.failed(found))]
    }
    // What comes before anything is sent does not count.
    let failed = check(
      try exchange(after: "> ", expecting: "ok", failingOn: "error"),
      [
        (.begun, [.wake(at: limit)]),
        (
          received("error> "),
          [.wake(at: nil), .watchStandstill(.seconds(5)), .send([1, 2]), .drain]
        ),
        (.drained, [.watchStandstill(nil), .wake(at: limit)]),
        (received("an error ok"), [answer("an error")] + failure(0, after: "an ", upTo: 15)),
        (received("ok"), []), (.cutOff(sent: 2), [.finish(.cutOff)]),
      ])
    #expect(!failed.isLingering)
    // The answer came first.
    _ = check(
      try exchange(expecting: "ok", failingOn: "error"),
      [
        (.begun, [.watchStandstill(.seconds(5)), .send([1, 2]), .drain]),
        (.drained, [.watchStandstill(nil), .wake(at: limit)]),
        (
          received("ok error"),
          [
            answer("ok"),
            .finish(
              .done(
                ReceivedText.Match(
                  index: 1, before: [], captures: [Array("ok".utf8)], end: 2))),
          ]
        ),
      ])
    // A file without an expected answer.
    _ = check(
      try exchange(.source(PlainFile("image.bin", size: 2)), failingOn: "error"),
      [
        (.begun, [.watchAnswers(.seconds(5)), .read(atMost: 32_768)]),
        (received("error"), failure(0, after: "", upTo: 5)),
      ])
  }

  @Test func `An answer that paced sending waits for and that does not come is a timeout`() throws {
    _ = check(
      try exchange(.source(PlainFile("image.bin", size: 2))),
      [
        (.begun, [.watchAnswers(.seconds(5)), .read(atMost: 32_768)]),
        (.standstill, [.report(.timedOut(.sending))]),
      ])
  }

  // MARK: Sources

  @Test func aSourceThatCannotBeRead_endsIt() throws {
    _ = check(
      try exchange(.source(PlainFile("standard input", size: 0, by: .pipe)), expecting: "ok"),
      [
        (.begun, [.watchStandstill(.seconds(5)), .read(atMost: 32_768)]),
        (.sourceFailed(.ioError), [.withdraw, .finish(.unreadable(.ioError))]),
      ])
  }

  @Test func aPortThatRefuses_endsIt() throws {
    let error = SerialError(.queueFull, in: "write", at: .tty("/dev/ttyTEST"))
    _ = check(
      try exchange(),
      [
        (.begun, [.watchAnswers(.seconds(5)), .send([1, 2]), .drain]),
        (.sendFailed(error), [.finish(.refused(error))]),
      ])
  }

  // MARK: The echo

  /// The actions up to the match of `> ` in text that is not the echo.
  private var beforeTheEcho: [Row] {
    [
      (.begun, [.watchStandstill(.seconds(5)), .send(Array("led on\r".utf8)), .drain]),
      (.drained, [.watchStandstill(nil), .wake(at: limit)]),
      (
        received("boot\r\n> "),
        [answer("boot\r\n> "), .watchStandstill(nil), .wake(at: start + .milliseconds(50))]
      ),
    ]
  }

  private func sendingText() throws -> SendAndExpect {
    try exchange(.bytes(Array("led on\r".utf8)), expecting: "> ")
  }

  @Test func `A match before the echo of the text is reported, and is still the match`() throws {
    let found = match("> ", after: "boot\r\n", upTo: 8)
    _ = check(
      try sendingText(),
      beforeTheEcho + [
        (received("led"), []),
        (received(" on\r\nled is on"), [.report(.matchedTooEarly), .finish(.done(found))]),
      ])
    // In one read.
    _ = check(
      try sendingText(),
      beforeTheEcho.dropLast() + [
        (
          received("boot\r\n> led on\r\n"),
          [
            answer("boot\r\n> "), .watchStandstill(nil), .wake(at: start + .milliseconds(50)),
            .report(.matchedTooEarly),
            .finish(.done(found)),
          ]
        )
      ])
  }

  @Test func `A device without an echo is not waited for`() throws {
    let found = match("> ", after: "boot\r\n", upTo: 8)
    _ = check(try sendingText(), beforeTheEcho + [(.woken, [.finish(.done(found))])])
  }

  @Test func `A match behind the echo ends the exchange at once`() throws {
    _ = check(
      try sendingText(),
      beforeTheEcho.dropLast() + [
        (received("led on\r\n"), [answer("led on\r\n")]),
        (
          received("led is on\r\n> "),
          [
            answer("led is on\r\n> "),
            .finish(.done(match("> ", after: "led on\r\nled is on\r\n", upTo: 21))),
          ]
        ),
      ])
  }

  @Test func `A match in the echo itself lies before the answer`() throws {
    let text = Array("version\r".utf8)
    _ = check(
      try exchange(.bytes(text), expecting: "ver"),
      [
        (.begun, [.watchStandstill(.seconds(5)), .send(text), .drain]),
        (received("version\r\n"), [answer("ver"), .report(.matchedTooEarly)]),
        (.drained, [.finish(.done(match("ver", upTo: 3)))]),
      ])
  }

  @Test func `A match before the end of a file is reported`() throws {
    _ = check(
      try exchange(.source(PlainFile("image.bin", size: 2)), expecting: "ok"),
      [
        (.begun, [.watchStandstill(.seconds(5)), .read(atMost: 32_768)]),
        (received("ok"), [answer("ok"), .report(.matchedTooEarly)]),
      ])
  }

  // MARK: The prompt and the answer

  @Test func thePrompt_isAwaited_andTextBeforeItIsNotTheAnswer() throws {
    _ = check(
      try exchange(after: "> ", expecting: "ok"),
      [
        (.begun, [.wake(at: limit)]),
        (received("ok "), []),
        (
          received("> ok"),
          [.wake(at: nil), .watchStandstill(.seconds(5)), .send([1, 2]), .drain]
        ),
        (.drained, [.watchStandstill(nil), .wake(at: limit)]),
        (received("is o"), [answer("is o")]),
        (received("k, more"), [answer("k"), .finish(.done(match("ok", after: "is ", upTo: 12)))]),
      ])
  }

  @Test func textBeforeTheBeginning_mayBeThePrompt_butIsNotTheAnswer() throws {
    let sending: Actions = [.watchStandstill(.seconds(5)), .send([1, 2]), .drain]
    _ = check(
      try exchange(after: "> $", expecting: "ok"),
      [(received("ok > "), []), (.begun, [.wake(at: limit), .wake(at: nil)] + sending)])
    _ = check(
      try exchange(expecting: "ok"),
      [
        (received("ok"), []), (.begun, sending),
        (.drained, [.watchStandstill(nil), .wake(at: limit)]),
      ])
  }

  @Test func anAnswerThatComesEarly_counts_andNothingAfterItIsShown() throws {
    _ = check(
      try exchange(expecting: "ok"),
      [
        (.begun, [.watchStandstill(.seconds(5)), .send([1, 2]), .drain]),
        (received("so ok then"), [answer("so ok")]),
        (received("more"), []),
        (.drained, [.finish(.done(match("ok", after: "so ", upTo: 5)))]),
      ])
  }

  // MARK: Time

  @Test func inEachPhase_theTimeOutNamesIt_andTheSessionEndsIt() throws {
    let prompt: [Row] = [(.begun, [.wake(at: limit)])]
    let sending: [Row] = [(.begun, [.watchStandstill(.seconds(5)), .send([1, 2]), .drain])]
    let awaiting = sending + [(.drained, [.watchStandstill(nil), .wake(at: limit)])]
    let end: Row = (.cutOff(sent: 0), [.finish(.cutOff)])
    let nothing: [Row] = [(received("ok> "), []), (.drained, []), end]
    _ = check(
      try exchange(after: "> ", expecting: "ok"),
      prompt + [(.woken, [.report(.timedOut(.prompt))])] + nothing)
    _ = check(
      try exchange(expecting: "ok"),
      sending + [(.standstill, [.report(.timedOut(.sending))])] + nothing)
    _ = check(
      try exchange(expecting: "ok"),
      awaiting + [(.woken, [.report(.timedOut(.answer))])] + nothing)
  }

  // MARK: The end of the port

  @Test func stoppedOrCutOff_inEachPhase() throws {
    let begun: Row = (.begun, [.watchStandstill(.seconds(5)), .send([1, 2]), .drain])
    let drained: Row = (.drained, [.watchStandstill(nil), .wake(at: limit)])
    for rows in [[], [begun], [begun, drained]] as [[Row]] {
      _ = check(
        try exchange(expecting: "ok"), rows + [(.stopped, [.withdraw, .finish(.cutOff)])])
      _ = check(
        try exchange(expecting: "ok"), rows + [(.cutOff(sent: 1), [.finish(.cutOff)])])
    }
    _ = check(
      try exchange(after: "> "),
      [(.begun, [.wake(at: limit)]), (.cutOff(sent: 0), [.finish(.cutOff)])])
  }

  @Test func aFileThatIsCutOff_knowsHowMuchWasSent() throws {
    let exchange = check(
      try exchange(.source(PlainFile("image.bin", size: 9))),
      [
        (.begun, [.watchAnswers(.seconds(5)), .read(atMost: 32_768)]),
        (.read([1, 2]), [.send([1, 2]), .read(atMost: 32_768)]),
        (.sent(2), []), (.cutOff(sent: 1), [.finish(.cutOff)]),
      ])
    #expect(exchange.file?.sentCount == 1)
  }
}
