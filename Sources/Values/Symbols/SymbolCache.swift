/// The frames of the addresses that were looked up most recently.
///
/// It has two generations: when the young one is full, it becomes the old one, whose addresses are
/// dropped unless they are used again.
public struct SymbolCache: Sendable {
  /// The number of addresses that are kept at most.
  public let capacity: Int
  private var young: [UInt64: [SourceFrame]] = [:]
  private var old: [UInt64: [SourceFrame]] = [:]

  /// Creates an empty cache.
  ///
  /// - Parameter capacity: the number of addresses that are kept at most, 2 or more.
  public init(capacity: Int = 8_192) { self.capacity = max(2, capacity) }

  /// The number of addresses that are kept.
  public var count: Int { young.count + old.count }

  /// The frames of an address, which then counts as used; nil if it was not looked up.
  public mutating func frames(at address: UInt64) -> [SourceFrame]? {
    if let frames = young[address] { return frames }
    guard let frames = old.removeValue(forKey: address) else { return nil }
    keep(frames, at: address)
    return frames
  }

  /// Keeps the frames of an address; none if the address is unknown.
  public mutating func keep(_ frames: [SourceFrame], at address: UInt64) {
    old[address] = nil
    if young.count >= capacity / 2, young[address] == nil {
      old = young
      young.removeAll(keepingCapacity: true)
    }
    young[address] = frames
  }
}
