/// The changes to make to received bytes and to sent bytes.
public struct MapList: Hashable, Sendable {
  /// A change in one direction.
  public struct Rule: Hashable, Sendable {
    public let direction: Direction
    public let change: ByteChange

    /// Creates a rule.
    public init(_ direction: Direction, _ change: ByteChange) {
      self.direction = direction
      self.change = change
    }
  }

  /// The rules in the given order, which has no effect.
  public let rules: [Rule]

  /// No changes.
  public init() { rules = [] }

  init(rules: [Rule]) { self.rules = rules }

  /// The changes in a direction.
  public func changes(_ direction: Direction) -> [ByteChange] {
    rules.filter { $0.direction == direction }.map(\.change)
  }
}
