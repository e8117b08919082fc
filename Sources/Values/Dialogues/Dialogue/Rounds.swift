public import Patterns

/// The rounds of a repetition with a time or an end: `repeat 10 every 1s until /OK/`.
public struct Rounds: Hashable, Sendable {
  /// The maximum number of rounds.
  public let count: Int
  /// The time from the begin of a round to the begin of the next one; nil if the script has none.
  public let interval: Duration?
  /// The expression whose match ends the repetition; nil if all rounds are performed.
  public let expression: ExpectedPattern?
}
