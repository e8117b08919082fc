import SerialCore
import Sessions
import Testing
import Time

/// The exchange of a line sequence: events go in, actions come out.
@Suite struct LinePlayTests {
  private typealias Row = (ExchangeEvent, [ExchangeAction<Never, LinePlay.End>])

  private let time = MonotonicTime(nanoseconds: 7)
  private let sequence = LineSequence([
    .set(asserting: .dtr, deasserting: []), .wait(.milliseconds(5)), .setBreak(true),
  ])

  private func check(_ rows: [Row]) {
    var play = LinePlay(sequence)
    for (index, (event, expected)) in rows.enumerated() {
      #expect(play.handle(event, at: time) == expected, "event \(index), \(event)")
    }
  }

  /// Every step, with the event before it.
  private var steps: [Row] {
    [
      (.begun, [.perform(.setLines(asserting: .dtr, deasserting: []))]),
      (.performed(.done), [.wake(at: time + .milliseconds(5))]),
      (.woken, [.perform(.setBreak(true))]),
    ]
  }

  @Test func theStepsFollowEachOther() {
    check(steps + [(.performed(.done), [.finish(.done)])])
  }

  @Test func anEmptySequence_isDoneAtOnce() {
    var play = LinePlay(LineSequence([]))
    #expect(play.handle(.begun, at: time) == [.finish(.done)])
    #expect(play.author == nil)
  }

  @Test func aStepThatFails_isTheLast() {
    let first = LineSequence.Step.set(asserting: .dtr, deasserting: [])
    check([steps[0], (.performed(.refused), [.finish(.failed(first))])])
    check(steps + [(.performed(.refused), [.finish(.failed(.setBreak(true)))])])
  }

  @Test(arguments: [ExchangeEvent.stopped, .cutOff(sent: 0)])
  func stopped_orWithoutAPort_itEnds_inEveryState(_ event: ExchangeEvent) {
    for count in 0...steps.count { check(steps.prefix(count) + [(event, [.finish(.stopped)])]) }
  }

  @Test func otherEvents_changeNothing() {
    check([
      steps[0], (.received([1]), []), (.sent(1), []), (.read([1]), []), (.endOfSource, []),
      (.drained, []), (.standstill, []), (.leaving, []), steps[1],
    ])
  }
}
