/// The times between requests and their answers, as `ping` sums them up.
package struct RoundTrips: Hashable, Sendable {
  /// The number of answers.
  package private(set) var answerCount = 0
  /// The number of requests that got no answer.
  package private(set) var lossCount = 0
  /// The shortest and the longest time; zero before the first answer.
  package private(set) var shortest = Duration.zero
  package private(set) var longest = Duration.zero
  /// The sum of all times in nanoseconds, clamped to 292 years.
  private var sum: Int64 = 0

  /// Creates empty statistics.
  package init() {}

  /// Adds the time of an answer. A negative time counts as zero.
  package mutating func add(_ time: Duration) {
    let time = max(.zero, time)
    shortest = answerCount == 0 ? time : min(shortest, time)
    longest = max(longest, time)
    sum = sum.addingClamped(time.nanoseconds)
    answerCount += 1
  }

  /// Adds a request that got no answer.
  package mutating func addLoss() { lossCount += 1 }

  /// The mean of all times, in whole nanoseconds; zero before the first answer.
  package var average: Duration {
    answerCount == 0 ? .zero : .nanoseconds(sum / Int64(answerCount))
  }

  /// The percentage of requests without an answer, rounded down; 0 without requests.
  package var lossPercentage: Int {
    let total = answerCount + lossCount
    return total == 0 ? 0 : Int(Double(lossCount) / Double(total) * 100)
  }

  /// The shortest, the mean and the longest time in milliseconds: `min/avg/max 1.204/1.310/1.502
  /// ms`; nil before the first answer.
  package var summary: String? {
    if answerCount == 0 { return nil }
    let times = [shortest, average, longest].map(Self.milliseconds)
    return "min/avg/max \(times.joined(separator: "/")) ms"
  }

  /// Formats a time with three decimal places, truncated.
  private static func milliseconds(_ time: Duration) -> String {
    let microseconds = time.nanoseconds / 1_000
    let fraction = "\(microseconds % 1_000)"
    return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - fraction.utf8.count))"
      + fraction
  }
}
