import Testing
import Time

@testable import Sessions

@Suite struct HoldBudgetTests {
  private var budget = HoldBudget()
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  @Test mutating func manyWaits_countLikeALongOne() {
    #expect(budget.rest(at: start) == .seconds(2))
    for number in 1...300 {
      budget.spend(
        .milliseconds(5), taking: 0, until: start + .milliseconds(10) * number)
    }
    #expect(budget.rest(at: start + .seconds(3)) == .milliseconds(500))
    budget.spend(.seconds(4), taking: 0, until: start + .seconds(7))
    #expect(budget.rest(at: start + .seconds(7)) == .zero)
  }

  @Test mutating func aWait_isForgottenAfterAMinute() {
    budget.spend(.seconds(1), taking: 0, until: start)
    budget.spend(.milliseconds(500), taking: 0, until: start + .seconds(30))
    #expect(budget.rest(at: start + .seconds(59)) == .milliseconds(500))
    #expect(budget.rest(at: start + .seconds(60)) == .milliseconds(1_500))
    #expect(budget.rest(at: start + .seconds(90)) == .seconds(2))
  }

  /// A client that is slower than a pseudo-terminal, but faster than any serial port.
  @Test mutating func whatAFastClientTakesMeanwhile_costsNothing() {
    budget.spend(.seconds(10), taking: 10 << 20, until: start)
    #expect(budget.rest(at: start) == .seconds(2))
    budget.spend(.seconds(1), taking: 1 << 19, until: start)
    #expect(budget.rest(at: start) == .milliseconds(1_500))
    budget.spend(.milliseconds(100), taking: .max, until: start)
    #expect(budget.rest(at: start) == .milliseconds(1_500))
  }
}
