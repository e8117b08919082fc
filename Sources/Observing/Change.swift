/// A change of a value: the old and the new value.
public struct Change<Value> {
  /// The value before.
  public let old: Value
  /// The value after.
  public let new: Value

  /// Creates a change from its two values.
  public init(from old: Value, to new: Value) {
    self.old = old
    self.new = new
  }
}

extension Change: Equatable where Value: Equatable {}
extension Change: Sendable where Value: Sendable {}
