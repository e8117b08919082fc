import Testing

@testable import Time

@Suite struct RoundTripsTests {
  @Test func nothing_hasNoSummary() {
    let trips = RoundTrips()
    #expect(trips.summary == nil)
    #expect(trips.average == .zero && trips.shortest == .zero && trips.longest == .zero)
    #expect(trips.lossPercentage == 0)
  }

  @Test func theSummaryIsThatOfPing() {
    var trips = RoundTrips()
    for microseconds in [1_310, 1_204, 1_502] { trips.add(.microseconds(microseconds)) }
    #expect(trips.summary == "min/avg/max 1.204/1.338/1.502 ms")
    #expect(trips.answerCount == 3 && trips.average == .nanoseconds(1_338_666))
    trips.add(.seconds(2))
    #expect(trips.summary == "min/avg/max 1.204/501.004/2000.000 ms")
  }

  @Test func theFirstTimeIsTheShortest() {
    var trips = RoundTrips()
    trips.add(.milliseconds(7))
    #expect(trips.shortest == .milliseconds(7) && trips.longest == .milliseconds(7))
  }

  @Test func losses() {
    var trips = RoundTrips()
    trips.addLoss()
    #expect(trips.lossPercentage == 100 && trips.summary == nil)
    trips.add(.milliseconds(1))
    trips.add(.milliseconds(1))
    #expect(trips.lossPercentage == 33 && trips.lossCount == 1)
  }

  @Test func impossibleTimes_areClamped() {
    var trips = RoundTrips()
    trips.add(.seconds(-5))
    #expect(trips.shortest == .zero && trips.longest == .zero)
    for _ in 0..<3 { trips.add(.seconds(Int64.max)) }
    #expect(trips.average == .nanoseconds(Int64.max / 4))
  }
}
