import Testing
import Time

@Suite(.timeLimit(.minutes(30))) struct MonotonicTimeTests {
  private let future = MonotonicTime(nanoseconds: .max)
  private let past = MonotonicTime(nanoseconds: .min)

  @Test func duration_inNanoseconds_endsAtTheLimits() {
    #expect(Duration.milliseconds(-1_500).nanoseconds == -1_500_000_000)
    #expect(Duration.seconds(Int64.max).nanoseconds == .max)
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
    // Whole seconds that fit, with a fraction that does not fit.
    let edge = Duration.seconds(9_223_372_036)
    #expect((edge + .milliseconds(900)).nanoseconds == .max)
    #expect((Duration.zero - edge - .milliseconds(900)).nanoseconds == .min)
  }

  @Test func sum_endsAtTheLimits() {
    #expect(MonotonicTime(nanoseconds: 5) + .nanoseconds(-7) == MonotonicTime(nanoseconds: -2))
    #expect(MonotonicTime.now + .seconds(Int64.max) == future)
    #expect(MonotonicTime(nanoseconds: -1) + .seconds(Int64.min) == past)
  }

  @Test func difference_isExact_howeverFarTheTwoAreApart() {
    #expect(future - past == .nanoseconds(Int64.max) - .nanoseconds(Int64.min))
    #expect(past - future < .zero)
  }
}
