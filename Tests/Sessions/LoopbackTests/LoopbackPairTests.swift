import EventLoop
import SystemPackage
import func TestSupport.difference
import Testing

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct LoopbackPairTests {
  private let loop: IOLoop

  init() throws { loop = try IOLoop() }

  private func clients(
    of pair: LoopbackPair, isReading: Bool = true
  ) throws -> (first: Client, second: Client) {
    (
      try Client(pair.paths.first, on: loop, isReading: isReading),
      try Client(pair.paths.second, on: loop, isReading: isReading)
    )
  }

  @Test func everyByteValue_passesBothWaysAsItIs() throws {
    let pair = try LoopbackPair(on: loop)
    let (first, second) = try clients(of: pair)
    let all = Array(UInt8.min...UInt8.max)
    try first.send(all)
    try second.send(all.reversed())
    try run(loop) { first.received.count >= all.count && second.received.count >= all.count }
    #expect(difference(second.received, from: all) == nil)
    #expect(difference(first.received, from: all.reversed()) == nil)
  }

  @Test(arguments: [([65_536], [65_536]), ([1, 7, 4_095], [13])])
  func moreThanTheBuffersHold_eachWay_atOnce_isExact(sizes: (first: [Int], second: [Int])) throws {
    let pair = try LoopbackPair(on: loop)
    let (first, second) = try clients(of: pair)
    (first.readSizes, second.readSizes) = sizes
    let bytes = pattern(2 * LoopbackPair.bufferCapacity)
    try first.send(bytes)
    try second.send(bytes.reversed())
    try run(loop) { first.received.count >= bytes.count && second.received.count >= bytes.count }
    #expect(difference(second.received, from: bytes) == nil)
    #expect(difference(first.received, from: bytes.reversed()) == nil)
    #expect(pair.bufferedByteCount == 0)
  }

  @Test func readerThatStalls_holdsUpTheOtherEnd_andNotItsOwnWriting() throws {
    let pair = try LoopbackPair(on: loop)
    let (first, second) = try clients(of: pair)
    try second.setReading(false)
    let bytes = pattern(2 * LoopbackPair.bufferCapacity)
    try first.send(bytes)
    try run(loop) { pair.bufferedByteCount == Pump.capacity }
    try second.send(bytes)
    try run(loop) { first.received.count >= bytes.count }
    #expect(difference(first.received, from: bytes) == nil)
    #expect(!first.unsent.isEmpty)
    #expect(pair.bufferedByteCount <= LoopbackPair.bufferCapacity)
    try second.setReading(true)
    try run(loop) { second.received.count >= bytes.count }
    #expect(difference(second.received, from: bytes) == nil)
  }

  @Test func writtenBytes_waitForALaterOpenerOfTheOtherEnd() throws {
    let pair = try LoopbackPair(on: loop)
    var first: Client? = try Client(pair.paths.first, on: loop)
    try first?.send("left behind")
    try run(loop) { first!.unsent.isEmpty }
    first = nil
    let second = try Client(pair.paths.second, on: loop)
    try run(loop) { second.received.count >= 11 }
    #expect(second.receivedText == "left behind")
  }

  @Test func hangUpAfter_endsBothEnds_whenTheLastBytesAreRead() throws {
    var options = LoopbackOptions()
    options.hangUpAfter = 1_000
    var reasons: [LoopbackHangUp] = []
    let pair = try LoopbackPair(options: options, on: loop) { reasons.append($0) }
    let (first, second) = try clients(of: pair, isReading: false)
    let bytes = pattern(700)
    try first.send(bytes)
    try second.send(bytes)
    // 1,400 bytes were sent, so 400 remain.
    try run(loop) { pair.bufferedByteCount == 400 }
    try first.setReading(true)
    try run(loop) { !first.received.isEmpty }
    #expect(reasons == [], "the second has something to read yet")
    try second.setReading(true)
    try run(loop) { first.hasEnded && second.hasEnded }
    #expect(first.received.count + second.received.count == 1_000)
    #expect(bytes.starts(with: first.received) && bytes.starts(with: second.received))
    #expect(reasons == [.limitReached])
  }

  @Test func hangUp_isSeenAtBothEnds() throws {
    var reasons: [LoopbackHangUp] = []
    let pair = try LoopbackPair(on: loop) { reasons.append($0) }
    let (first, second) = try clients(of: pair)
    pair.hangUp()
    pair.hangUp()
    try run(loop) { first.hasEnded && second.hasEnded }
    #expect(reasons == [])
  }
}
