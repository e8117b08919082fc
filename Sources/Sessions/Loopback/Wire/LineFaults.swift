/// The faults of a bad line.
struct LineFaults {
  private let dropProbability: Double
  private let corruptProbability: Double
  private var random: SplitMix64

  /// - Parameters:
  ///   - dropProbability: the probability that a byte is lost, 0 to 1.
  ///   - corruptProbability: the probability that one bit of a byte is flipped, 0 to 1.
  ///   - seed: the seed of the random numbers.
  init(dropProbability: Double, corruptProbability: Double, seed: UInt64) {
    precondition((0...1).contains(dropProbability) && (0...1).contains(corruptProbability))
    self.dropProbability = dropProbability
    self.corruptProbability = corruptProbability
    random = SplitMix64(seed: seed)
  }

  /// Applies the faults in place. The remaining bytes move to the front.
  ///
  /// - Returns: the number of remaining bytes.
  mutating func apply(to bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard dropProbability > 0 || corruptProbability > 0 else { return bytes.count }
    var left = 0
    for index in bytes.indices {
      // Every byte draws the same random numbers for any fault. So faults of one kind stay the same
      // if the probability of the other kind changes.
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
