import Testing

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct LineFaultsTests {
  private static let input = pattern(100_000)

  /// Passes the input in pieces of a size.
  private static func pass(
    drop: Double = 0, corrupt: Double = 0, seed: UInt64 = 1, pieces: Int = input.count
  ) -> [UInt8] {
    var faults = LineFaults(dropProbability: drop, corruptProbability: corrupt, seed: seed)
    var output: [UInt8] = []
    var rest = input[...]
    while !rest.isEmpty {
      var piece = Array(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
      let left = piece.withUnsafeMutableBytes { faults.apply(to: $0) }
      output += piece.prefix(left)
    }
    return output
  }

  /// The number of flipped bits in each byte of the input.
  private static func flips(_ output: [UInt8]) -> [Int] {
    zip(input, output).map { ($0 ^ $1).nonzeroBitCount }
  }

  @Test func goodLine_changesNothing() {
    #expect(Self.pass() == Self.input)
  }

  @Test func drop_removesTheGivenNumber_andKeepsTheOrder() {
    let output = Self.pass(drop: 0.1)
    #expect((89_000...91_000).contains(output.count))
    var rest = Self.input[...]
    for byte in output {
      guard let place = rest.firstIndex(of: byte) else {
        Issue.record("a byte came that was not sent, or out of order")
        return
      }
      rest = rest[(place + 1)...]
    }
    #expect(Self.pass(drop: 1) == [])
  }

  @Test func corrupt_flipsOneBit_ofTheGivenNumberOfBytes_anyOfTheEight() {
    let output = Self.pass(corrupt: 0.1)
    #expect(output.count == Self.input.count)
    let flips = Self.flips(output)
    #expect(flips.allSatisfy { $0 <= 1 })
    #expect((9_000...11_000).contains(flips.count { $0 == 1 }))
    #expect(Set(zip(Self.input, output).map { $0 ^ $1 }).subtracting([0]).count == 8)
    #expect(Self.flips(Self.pass(corrupt: 1)).allSatisfy { $0 == 1 })
  }

  @Test(arguments: [1, 7, 4_095])
  func faults_areTheSame_forAnyPiecesOfTheBytes(size: Int) {
    let whole = Self.pass(drop: 0.2, corrupt: 0.3)
    #expect(Self.pass(drop: 0.2, corrupt: 0.3, pieces: size) == whole)
  }

  @Test func faults_followFromTheSeed() {
    #expect(Self.pass(corrupt: 0.3, seed: 1) == Self.pass(corrupt: 0.3, seed: 1))
    #expect(Self.pass(corrupt: 0.3, seed: 1) != Self.pass(corrupt: 0.3, seed: 2))
  }
}
