import SerialCore
import Sessions
import Testing
import Time

@testable import Patterns

/// The exchange that sends at intervals: events at times go in, actions come out.
@Suite struct RepeatedRequestTests {
  private typealias Actions = RepeatedRequest.Actions
  private typealias Row = (milliseconds: Int64, event: ExchangeEvent, actions: Actions)

  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  private func request(
    count: Int64? = nil, after prompt: String? = nil, expecting answer: String? = "ok",
    lingering linger: Linger = Linger(.zero)
  ) throws -> RepeatedRequest {
    RepeatedRequest(
      [1], every: .milliseconds(100), count: count,
      after: try prompt.map { try ExpectedPattern.regex($0) },
      expecting: try answer.map { try ExpectedPattern.regex($0) }, within: .milliseconds(250),
      lingering: linger)
  }

  /// Runs events through an exchange, and checks the actions after each.
  private func check(_ request: RepeatedRequest, _ rows: [Row]) -> RepeatedRequest {
    var request = request
    for (index, row) in rows.enumerated() {
      let actions = request.handle(row.event, at: time(row.milliseconds))
      #expect(actions == row.actions, "event \(index), \(row.event)")
    }
    return request
  }

  private func received(_ text: String) -> ExchangeEvent { .received(Array(text.utf8)) }
  private func answer(_ text: String) -> Actions { [.report(.answer(Array(text.utf8)))] }

  /// An answer "ok".
  ///
  /// - Parameters:
  ///   - before: the text of the answer before it.
  ///   - earlier: what was received earlier for the same answer.
  ///   - end: the number of bytes that were searched since the beginning.
  private func answered(
    _ before: String = "", after earlier: String = "", upTo end: Int
  ) -> Actions {
    let match = ReceivedText.Match(
      index: 0, before: Array("\(earlier)\(before)".utf8), captures: [Array("ok".utf8)], end: end)
    return answer("\(before)ok") + [.report(.answered(match))]
  }

  private let sending: Actions = [
    .watchStandstill(.milliseconds(250)), .send([1]), .drain,
  ]

  private func waiting(until milliseconds: Int64) -> Actions {
    [.watchStandstill(nil), .wake(at: time(milliseconds))]
  }

  private func wake(at milliseconds: Int64) -> Actions { [.wake(at: time(milliseconds))] }

  @Test func withoutAnAnswer_itIsSentAtEachMoment_andIsDoneWhenTheLastIsOnTheLine() throws {
    let send: Actions = [.watchAnswers(.milliseconds(250)), .send([1]), .drain]
    let request = check(
      try request(count: 2, expecting: nil),
      [
        (0, .begun, send), (1, .sent(1), []), (3, .drained, wake(at: 100)),
        // Everything that comes is an answer.
        (50, received("x"), answer("x")),
        // The timer is late, and the next moment is not.
        (107, .woken, send), (109, .drained, [.finish(.done)]),
      ])
    #expect(request.sentCount == 2 && request.missedCount == 0)
    #expect(request.trips == RoundTrips())
  }

  @Test func withoutAnAnswer_theLastOneIsListenedTo_untilTheDeviceIsSilent() throws {
    let send: Actions = [.watchAnswers(.milliseconds(250)), .send([1]), .drain]
    _ = check(
      try request(count: 1, expecting: nil, lingering: Linger(.milliseconds(200))),
      [
        (0, .begun, send), (10, .drained, waiting(until: 210)),
        (100, received("x"), answer("x") + waiting(until: 300)), (300, .woken, [.finish(.done)]),
      ])
    // A device that is gone then has taken everything.
    _ = check(
      try request(count: 1, expecting: nil, lingering: Linger(.milliseconds(200))),
      [
        (0, .begun, send), (10, .drained, waiting(until: 210)),
        (100, .cutOff(sent: 1), [.finish(.done)]),
      ])
  }

  @Test func answersAreReportedAndTimed_fromTheMomentOfSending() throws {
    let request = check(
      try request(count: 2),
      [
        (0, .begun, sending), (1, .drained, waiting(until: 251)), (2, received("no"), answer("no")),
        (30, received("x ok y"), answered("x ", after: "no", upTo: 6) + wake(at: 100)),
        // What comes between two requests is no answer.
        (40, received("ok"), []), (100, .woken, sending),
        // The answer may come before everything is on the line.
        (110, received("ok"), answered(upTo: 10)), (120, .drained, [.finish(.done)]),
      ])
    #expect(request.trips.answerCount == 2 && request.trips.lossCount == 0)
    #expect(request.trips.shortest == .milliseconds(10))
    #expect(request.trips.longest == .milliseconds(30))
    #expect(!request.isAwaitingAnswer)
  }

  @Test func aLostAnswer_isCounted_andSoAreTheMomentsMissedMeanwhile() throws {
    let request = check(
      try request(count: 2),
      [
        (0, .begun, sending), (1, .drained, waiting(until: 251)),
        // 100 and 200 are missed.
        (252, .woken, wake(at: 300)), (300, received("ok"), []), (301, .woken, sending),
        (302, received("ok"), answered(upTo: 2)), (303, .drained, [.finish(.done)]),
      ])
    #expect(request.sentCount == 2 && request.missedCount == 2)
    #expect(request.trips.answerCount == 1 && request.trips.lossCount == 1)
  }

  @Test func aSlowLine_missesMoments() throws {
    let request = check(
      try request(expecting: nil),
      [
        (0, .begun, [.watchAnswers(.milliseconds(250)), .send([1]), .drain]),
        (350, .drained, wake(at: 400)),
      ])
    #expect(request.sentCount == 1 && request.missedCount == 3)
  }

  @Test func thePromptComesFirst_andTheScheduleBeginsWithIt() throws {
    var request = check(
      try request(after: "> "),
      [
        (0, received("boot"), []), (0, .begun, wake(at: 250)),
        (70, received("> ok"), [.wake(at: nil)] + sending),
        (71, .drained, waiting(until: 321)),
        (72, received("ok"), answered(upTo: 10) + wake(at: 170)),
      ])
    #expect(request.handle(.cutOff(sent: 1), at: time(80)) == [.finish(.cutOff)])
  }

  @Test func withoutThePrompt_orWithoutProgress_itGivesUp() throws {
    _ = check(
      try request(after: "> "),
      [
        (0, .begun, wake(at: 250)), (250, .woken, [.report(.timedOut(.prompt))]),
        (251, received("> "), []), (252, .cutOff(sent: 0), [.finish(.cutOff)]),
      ])
    let request = check(
      try request(),
      [
        (0, .begun, sending), (250, .standstill, [.report(.timedOut(.sending))]),
        (260, .drained, []), (270, received("ok"), []),
        (280, .stopped, [.withdraw, .finish(.cutOff)]),
      ])
    #expect(request.isAwaitingAnswer)
  }

  @Test func aRefusal_endsIt() throws {
    let error = SerialError(.lost, in: "write", at: Endpoint(Endpoint.Kind("fake"), "fake:1"))
    _ = check(
      try request(), [(0, .begun, sending), (0, .sendFailed(error), [.finish(.refused(error))])])
  }
}
