import Testing
import Time

@testable import Loopback

private func time(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }
private let second: Int64 = 1_000_000_000
private let millisecond: Int64 = 1_000_000

@Suite(.timeLimit(.minutes(30))) struct LinePacerTests {
  /// Rates, with the time of ten bits in nanoseconds, rounded up.
  private static let byteTimes: [(UInt32, Int64)] = [
    (1, 10 * second), (300, 33_333_334), (9_600, 1_041_667), (115_200, 86_806),
    (1_000_000, 10_000), (.max, 3),
  ]

  @Test(arguments: byteTimes)
  func firstByte_isThereAfterTenBits_notBefore(baudRate: UInt32, due: Int64) {
    var pacer = LinePacer(baudRate: baudRate)
    pacer.begin(at: time(7))
    #expect(pacer.nextArrival == time(7 + due))
    #expect(pacer.allowance(at: time(7 + due - 1)) == 0)
    #expect(pacer.allowance(at: time(7 + due)) == 1)
  }

  @Test(arguments: [1, 300, 9_600, 115_200, 921_600, 12_000_000, UInt32.max])
  func rate_isExact_overAnHour_withWakeupsInUnevenSteps(baudRate: UInt32) {
    var pacer = LinePacer(baudRate: baudRate)
    let start = time(123)
    pacer.begin(at: start)
    var (now, total) = (start, 0)
    var random = SplitMix64(seed: 3)
    while now < start + .seconds(3_600) {
      now = now + .nanoseconds(Int64(random.next() % UInt64(90 * millisecond)))
      let count = pacer.allowance(at: now)
      pacer.take(count)
      total += count
    }
    let elapsed = Double((now - start).nanoseconds) / 1e9
    #expect(abs(Double(total) - (elapsed * Double(baudRate) / 10).rounded(.down)) <= 1)
    #expect(pacer.nextArrival! > now)
  }

  @Test func atRest_nothingPasses_andNothingIsSaved() {
    var pacer = LinePacer(baudRate: 10_000)
    #expect(pacer.allowance(at: time(0)) == 0)
    #expect(pacer.nextArrival == nil)
    pacer.begin(at: time(0))
    pacer.take(pacer.allowance(at: time(5 * millisecond)))
    pacer.rest()
    #expect(pacer.allowance(at: time(second)) == 0)
    #expect(pacer.nextArrival == nil)
    pacer.begin(at: time(second))
    #expect(pacer.allowance(at: time(second)) == 0)
    #expect(pacer.allowance(at: time(second + 3 * millisecond)) == 3)
  }

  @Test func begin_duringATransmission_changesNothing() {
    var pacer = LinePacer(baudRate: 10_000)
    pacer.begin(at: time(0))
    pacer.begin(at: time(millisecond / 2))
    #expect(pacer.nextArrival == time(millisecond))
  }

  @Test func lateWakeup_isMadeUpFor_butNoMoreThanTheDepth() {
    var pacer = LinePacer(baudRate: 10_000)
    pacer.begin(at: time(0))
    #expect(pacer.allowance(at: time(50 * millisecond)) == 50)
    #expect(pacer.allowance(at: time(3_600 * second)) == 101)
    pacer.take(101)
    #expect(pacer.nextArrival == time(3_600 * second + millisecond))
  }
}
