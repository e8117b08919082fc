/// What a bad line does to bytes.
struct LineFaults {
  private let dropProbability: Double
  private let corruptProbability: Double
  private var random: SplitMix64

  /// - Parameters:
  ///   - dropProbability: how probable it is that a byte vanishes, 0 to 1.
  ///   - corruptProbability: how probable it is that one of a byte's bits is flipped, 0 to 1.
  ///   - seed: where the random numbers begin.
  init(dropProbability: Double, corruptProbability: Double, seed: UInt64) {
    precondition((0...1).contains(dropProbability) && (0...1).contains(corruptProbability))
    self.dropProbability = dropProbability
    self.corruptProbability = corruptProbability
    random = SplitMix64(seed: seed)
  }

  /// Lets bytes suffer in place; those that are left move to the front.
  ///
  /// - Returns: how many are left.
  mutating func apply(to bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard dropProbability > 0 || corruptProbability > 0 else { return bytes.count }
    var left = 0
    for index in bytes.indices {
      // The same draws for every byte, whatever becomes of it: the faults of one kind stay where
      // they are when the probability of the other is changed.
      let isDropped = random.chance(dropProbability)
      let isCorrupted = random.chance(corruptProbability)
      let bit = random.next() >> 61
      if isDropped { continue }
      bytes[left] = isCorrupted ? bytes[index] ^ (1 << bit) : bytes[index]
      left += 1
    }
    return left
  }
}
