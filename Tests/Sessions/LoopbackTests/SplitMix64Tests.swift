import Testing

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct SplitMix64Tests {
  /// From the reference implementation, https://prng.di.unimi.it/splitmix64.c.
  @Test func numbers_areThoseOfTheReference() {
    var random = SplitMix64(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
    #expect(random.next() == 9_817_491_932_198_370_423)
  }

  @Test func chance_isNever_always_orAtTheGivenRate() {
    var random = SplitMix64(seed: 1)
    let hits = { (probability: Double) in
      (0..<100_000).count { _ in random.chance(probability) }
    }
    #expect(hits(0) == 0)
    #expect(hits(1) == 100_000)
    #expect((24_000...26_000).contains(hits(0.25)))
  }
}
