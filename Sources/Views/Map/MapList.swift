/// The changes that a user wants made to what the device sends and to what is sent to it.
public struct MapList: Hashable, Sendable {
  /// A change in a direction.
  public struct Rule: Hashable, Sendable {
    public let direction: Direction
    public let change: ByteChange

    /// Creates a rule.
    public init(_ direction: Direction, _ change: ByteChange) {
      self.direction = direction
      self.change = change
    }
  }

  /// The rules, in the order in which they were given; it has no meaning.
  public let rules: [Rule]

  /// No changes.
  public init() { rules = [] }

  init(rules: [Rule]) { self.rules = rules }

  /// What is changed in a direction.
  public func changes(_ direction: Direction) -> [ByteChange] {
    rules.filter { $0.direction == direction }.map(\.change)
  }
}
