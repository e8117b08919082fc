import Sessions
import TextTools
import Time

extension RepeatedRequest {
  /// The counts and times in one line, as `ping` has them: `10 sent, 9 answered, 1 lost (10 %), 0
  /// late, min/avg/max 1.204/1.310/1.502 ms`; without an expected answer `10 sent, 0 late`. A
  /// request whose answer may still come is neither answered nor lost.
  var summary: String {
    var parts = ["\(Int(sentCount).grouped) sent"]
    if expectsAnswers {
      parts += [
        "\(trips.answerCount.grouped) answered",
        "\(trips.lossCount.grouped) lost (\(trips.lossPercentage) %)",
      ]
      if isAwaitingAnswer { parts.append("1 awaited") }
    }
    parts.append("\(Int(missedCount).grouped) late")
    return (parts + [trips.summary].compactMap(\.self)).joined(separator: ", ")
  }
}
