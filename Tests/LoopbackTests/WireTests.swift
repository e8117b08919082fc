import Posix
import Testing

@testable import Loopback

private func time(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }
private let second: Int64 = 1_000_000_000
private let millisecond: Int64 = 1_000_000

@Suite struct LinePacerTests {
  /// Rates, and how many nanoseconds ten bits take, rounded up.
  private static let byteTimes: [(UInt32, Int64)] = [
    (1, 10 * second), (300, 33_333_334), (9_600, 1_041_667), (115_200, 86_806),
    (1_000_000, 10_000), (.max, 3),
  ]

  @Test(arguments: byteTimes)
  func firstByte_isThereAfterTenBits_notBefore(baudRate: UInt32, due: Int64) {
    var pacer = LinePacer(baudRate: baudRate)
    pacer.begin(at: time(7))
    #expect(pacer.nextArrival == time(7 + due))
    #expect(pacer.allowance(at: time(7 + due - 1)) == 0)
    #expect(pacer.allowance(at: time(7 + due)) == 1)
  }

  @Test(arguments: [1, 300, 9_600, 115_200, 921_600, 12_000_000, UInt32.max])
  func rate_isExact_overAnHour_withWakeupsInUnevenSteps(baudRate: UInt32) {
    var pacer = LinePacer(baudRate: baudRate)
    let start = time(123)
    pacer.begin(at: start)
    var (now, total) = (start, 0)
    var random = SplitMix64(seed: 3)
    while now < start + .seconds(3_600) {
      now = now + .nanoseconds(Int64(random.next() % UInt64(90 * millisecond)))
      let count = pacer.allowance(at: now)
      pacer.take(count)
      total += count
    }
    let elapsed = Double((now - start).nanoseconds) / 1e9
    #expect(abs(Double(total) - (elapsed * Double(baudRate) / 10).rounded(.down)) <= 1)
    #expect(pacer.nextArrival! > now)
  }

  @Test func atRest_nothingPasses_andNothingIsSaved() {
    var pacer = LinePacer(baudRate: 10_000)
    #expect(pacer.allowance(at: time(0)) == 0)
    #expect(pacer.nextArrival == nil)
    pacer.begin(at: time(0))
    pacer.take(pacer.allowance(at: time(5 * millisecond)))
    pacer.rest()
    #expect(pacer.allowance(at: time(second)) == 0)
    #expect(pacer.nextArrival == nil)
    pacer.begin(at: time(second))
    #expect(pacer.allowance(at: time(second)) == 0)
    #expect(pacer.allowance(at: time(second + 3 * millisecond)) == 3)
  }

  @Test func begin_duringATransmission_changesNothing() {
    var pacer = LinePacer(baudRate: 10_000)
    pacer.begin(at: time(0))
    pacer.begin(at: time(millisecond / 2))
    #expect(pacer.nextArrival == time(millisecond))
  }

  @Test func lateWakeup_isMadeUpFor_butNoMoreThanTheDepth() {
    var pacer = LinePacer(baudRate: 10_000)
    pacer.begin(at: time(0))
    #expect(pacer.allowance(at: time(50 * millisecond)) == 50)
    #expect(pacer.allowance(at: time(3_600 * second)) == 101)
    pacer.take(101)
    #expect(pacer.nextArrival == time(3_600 * second + millisecond))
  }
}

@Suite struct SplitMix64Tests {
  /// From the reference implementation, https://prng.di.unimi.it/splitmix64.c.
  @Test func numbers_areThoseOfTheReference() {
    var random = SplitMix64(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
    #expect(random.next() == 9_817_491_932_198_370_423)
  }

  @Test func chance_isNever_always_orAsOftenAsSaid() {
    var random = SplitMix64(seed: 1)
    let hits = { (probability: Double) in
      (0..<100_000).count { _ in random.chance(probability) }
    }
    #expect(hits(0) == 0)
    #expect(hits(1) == 100_000)
    #expect((24_000...26_000).contains(hits(0.25)))
  }
}

@Suite struct LineFaultsTests {
  private static let input = pattern(100_000)

  /// Lets the input pass in pieces of a size.
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

  /// For each byte of the input, how many bits differ.
  private static func flips(_ output: [UInt8]) -> [Int] {
    zip(input, output).map { ($0 ^ $1).nonzeroBitCount }
  }

  @Test func goodLine_changesNothing() {
    #expect(Self.pass() == Self.input)
  }

  @Test func drop_takesAsManyAsSaid_andKeepsTheOrder() {
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

  @Test func corrupt_flipsOneBit_ofAsManyAsSaid_anyOfTheEight() {
    let output = Self.pass(corrupt: 0.1)
    #expect(output.count == Self.input.count)
    let flips = Self.flips(output)
    #expect(flips.allSatisfy { $0 <= 1 })
    #expect((9_000...11_000).contains(flips.count { $0 == 1 }))
    #expect(Set(zip(Self.input, output).map { $0 ^ $1 }).subtracting([0]).count == 8)
    #expect(Self.flips(Self.pass(corrupt: 1)).allSatisfy { $0 == 1 })
  }

  @Test(arguments: [1, 7, 4_095])
  func faults_areTheSame_inWhateverPiecesTheBytesCome(size: Int) {
    let whole = Self.pass(drop: 0.2, corrupt: 0.3)
    #expect(Self.pass(drop: 0.2, corrupt: 0.3, pieces: size) == whole)
  }

  @Test func faults_followFromTheSeed() {
    #expect(Self.pass(corrupt: 0.3, seed: 1) == Self.pass(corrupt: 0.3, seed: 1))
    #expect(Self.pass(corrupt: 0.3, seed: 1) != Self.pass(corrupt: 0.3, seed: 2))
  }
}

@Suite struct DeviceOutputTests {
  @Test func bound_isSoft_andTold() {
    var output = DeviceOutput(capacity: 4)
    #expect(output.isEmpty && !output.isFull && output.room == 4)
    output.append("abc")
    #expect(!output.isEmpty && !output.isFull && output.room == 1)
    output.append("def")
    #expect(output.isFull && output.room == 0)
    #expect(output.bytes == Array("abcdef".utf8))
  }

  @Test func take_bringsTheBytesInOrder_inAnyPieces() {
    var output = DeviceOutput()
    output.append("abcdefg")
    var buffer = [UInt8](repeating: 0, count: 3)
    var taken: [[UInt8]] = []
    while !output.isEmpty {
      let count = buffer.withUnsafeMutableBytes { output.take(into: $0) }
      taken.append(Array(buffer[..<count]))
    }
    #expect(taken == [Array("abc".utf8), Array("def".utf8), Array("g".utf8)])
  }

  @Test func echo_takesNoMoreThanItCanSendBack() {
    var (device, output) = (EchoDevice(), DeviceOutput(capacity: 4))
    let bytes: [UInt8] = [1, 2, 3]
    let now = time(0)
    #expect(device.receive(bytes.span, at: now, output: &output) == 3)
    #expect(device.receive(bytes.span, at: now, output: &output) == 1)
    #expect(output.bytes == [1, 2, 3, 1])
    #expect(device.receive(bytes.span, at: now, output: &output) == 0)
  }
}
