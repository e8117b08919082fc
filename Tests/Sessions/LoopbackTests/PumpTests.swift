import func TestSupport.difference
import Testing
import Time

@testable import Loopback

/// A pump between two ends in memory, with a simulated clock.
private final class PumpBench {
  let source = MemoryEnd()
  let sink = MemoryEnd()
  var now = MonotonicTime(nanoseconds: 0)
  private(set) var meter: DeliveryMeter
  private var pump: Pump

  init(_ options: LoopbackOptions = LoopbackOptions()) {
    pump = Pump(Wire(options, seed: 1))
    meter = DeliveryMeter(limit: options.hangUpAfter)
  }

  func move() throws { try pump.move(from: source, to: sink, at: now, within: &meter) }

  /// Moves bytes at each time that the pump reports, until an end time.
  func run(to end: MonotonicTime) throws {
    try move()
    while let next = pump.nextArrival, next <= end {
      now = next
      try move()
    }
    now = end
    try move()
  }

  var bufferedByteCount: Int { pump.bufferedByteCount }
  var awaitsSource: Bool { pump.awaitsSource }
  var awaitsSink: Bool { pump.awaitsSink }
  var nextArrival: MonotonicTime? { pump.nextArrival }
}

@Suite(.timeLimit(.minutes(30))) struct PumpTests {
  private func options(_ set: (inout LoopbackOptions) -> Void) -> LoopbackOptions {
    var options = LoopbackOptions()
    set(&options)
    return options
  }

  @Test func bytesPass_immediately_andTheSourceIsAwaited() throws {
    let bench = PumpBench()
    bench.source.unread = pattern(50_000)[...]
    try bench.move()
    #expect(difference(bench.sink.written, from: pattern(50_000)) == nil)
    #expect(bench.awaitsSource && !bench.awaitsSink)
    #expect(bench.nextArrival == nil)
  }

  @Test func oneMove_isBounded_soThatOthersHaveTheirTurn() throws {
    let bench = PumpBench()
    bench.source.unread = pattern(1_000_000)[...]
    try bench.move()
    #expect(bench.sink.written.count == Pump.capacity)
    #expect(bench.awaitsSource)
  }

  @Test func sinkThatTakesNothing_holdsUpTheSource() throws {
    let bench = PumpBench()
    let bytes = pattern(300_000)
    bench.source.unread = bytes[...]
    bench.sink.room = 0
    for _ in 0..<10 { try bench.move() }
    #expect(bench.bufferedByteCount == Pump.capacity)
    #expect(bench.source.unread.count == bytes.count - Pump.capacity)
    #expect(!bench.awaitsSource && bench.awaitsSink)
    var random = SplitMix64(seed: 9)
    while bench.sink.written.count < bytes.count {
      bench.sink.room = Int(random.next() % 30_000) + 1
      try bench.move()
      #expect(bench.bufferedByteCount <= Pump.capacity)
    }
    #expect(difference(bench.sink.written, from: bytes) == nil)
  }

  @Test func meter_endsTheDelivery_toTheByte() throws {
    let bench = PumpBench(options { $0.hangUpAfter = 70_000 })
    let bytes = pattern(100_000)
    bench.source.unread = bytes[...]
    try bench.move()
    #expect(bench.meter.remaining == 70_000 - Pump.capacity)
    try bench.move()
    try bench.move()
    #expect(bench.meter.isExhausted)
    #expect(difference(bench.sink.written, from: Array(bytes.prefix(70_000))) == nil)
  }

  @Test func wireThatDropsEverything_isBounded_andEndsEachMove() throws {
    let bench = PumpBench(options { $0.dropProbability = 1 })
    bench.source.unread = pattern(100_000)[...]
    try bench.move()
    #expect(bench.source.unread.count == 100_000 - Pump.capacity)
    #expect(bench.awaitsSource)
    try bench.move()
    #expect(bench.sink.written.isEmpty && bench.source.unread.isEmpty)
  }

  @Test func pacedBytes_arriveOneByOne_eachWhenItIsWhole() throws {
    let bench = PumpBench(options { $0.baudRate = 10_000 })
    let bytes: [UInt8] = [1, 2, 3]
    bench.source.unread = bytes[...]
    try bench.move()
    #expect(bench.sink.written == [] && !bench.awaitsSource)
    for count in 1...3 {
      #expect(bench.nextArrival == MonotonicTime(nanoseconds: Int64(count) * 1_000_000))
      bench.now = bench.nextArrival!
      try bench.move()
      #expect(difference(bench.sink.written, from: Array(bytes.prefix(count))) == nil)
    }
    // Everything was read, so the line is free immediately.
    #expect(bench.nextArrival == nil && bench.awaitsSource)
  }

  @Test func pacedLine_isNoFaster_afterItsSinkHasStalled() throws {
    let bench = PumpBench(options { $0.baudRate = 1_000_000 })
    let bytes = pattern(300_000)
    bench.source.unread = bytes[...]
    bench.sink.room = 0
    // 65,536 bytes take 0.66 s: the queue is full long before.
    try bench.run(to: MonotonicTime(nanoseconds: 5_000_000_000))
    #expect(bench.bufferedByteCount == Pump.capacity)
    #expect(bench.nextArrival == nil && !bench.awaitsSource)
    bench.sink.room = .max
    try bench.move()
    #expect(bench.sink.written.count == Pump.capacity)
    try bench.run(to: bench.now + .milliseconds(10))
    #expect(bench.sink.written.count == Pump.capacity + 1_000)
    #expect(difference(bench.sink.written, from: Array(bytes.prefix(Pump.capacity + 1_000))) == nil)
  }

  @Test func droppedBytes_occupyTheLineAllTheSame() throws {
    let bench = PumpBench(
      options {
        $0.baudRate = 1_000_000
        $0.dropProbability = 0.5
      })
    bench.source.unread = pattern(100_000)[...]
    try bench.run(to: MonotonicTime(nanoseconds: 500_000_000))
    #expect(bench.source.unread.count == 50_000)
    #expect((24_000...26_000).contains(bench.sink.written.count))
  }
}
