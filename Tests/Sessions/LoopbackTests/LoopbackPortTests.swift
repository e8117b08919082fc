import EventLoop
import Glibc
import Posix
import SystemPackage
import func TestSupport.difference
import Testing
import Time

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct LoopbackPortTests {
  private let loop: IOLoop

  init() throws { loop = try IOLoop() }

  private func options(_ set: (inout LoopbackOptions) -> Void) -> LoopbackOptions {
    var options = LoopbackOptions()
    set(&options)
    return options
  }

  // MARK: Bytes

  @Test func everyByteValue_comesBackAsItIs() throws {
    let port = try LoopbackPort(EchoDevice(), on: loop)
    let client = try Client(port.path, on: loop)
    let all = Array(UInt8.min...UInt8.max)
    try client.send(all)
    try run(loop) { client.received.count >= all.count }
    #expect(difference(client.received, from: all) == nil)
  }

  @Test(arguments: [[1], [65_536], [1, 7, 4_095, 4_096, 13]])
  func moreThanAllBuffersHold_comesBackExact(readSizes: [Int]) throws {
    let port = try LoopbackPort(EchoDevice(), on: loop)
    let client = try Client(port.path, on: loop)
    client.readSizes = readSizes
    let bytes = pattern(2 * LoopbackPort.bufferCapacity)
    try client.send(bytes)
    try run(loop) { client.received.count >= bytes.count }
    #expect(difference(client.received, from: bytes) == nil)
    #expect(port.bufferedByteCount == 0)
  }

  @Test func readerThatStalls_holdsUpItsOwnWriting_andLosesNothing() throws {
    let port = try LoopbackPort(EchoDevice(), on: loop)
    let client = try Client(port.path, on: loop, isReading: false)
    let bytes = pattern(2 * LoopbackPort.bufferCapacity)
    try client.send(bytes)
    try run(loop) { port.bufferedByteCount == LoopbackPort.bufferCapacity }
    try runUntilIdle(loop)
    #expect(port.bufferedByteCount == LoopbackPort.bufferCapacity)
    #expect(!client.unsent.isEmpty)
    try client.setReading(true)
    var most = 0
    try run(loop) {
      most = max(most, port.bufferedByteCount)
      return client.received.count >= bytes.count
    }
    #expect(most <= LoopbackPort.bufferCapacity)
    #expect(difference(client.received, from: bytes) == nil)
  }

  @Test func bytesOfTheDevice_areReadByALaterOpener() throws {
    let port = try LoopbackPort(Board(), on: loop)
    try run(loop) { port.bufferedByteCount == 0 }
    let client = try Client(port.path, on: loop)
    try run(loop) { client.endsAtPrompt }
    #expect(client.receivedText.contains("reset reason: power-on"))
  }

  @Test func device_isWoken_whenItIsDue() throws {
    let port = try LoopbackPort(Board(), on: loop)
    let client = try Client(port.path, on: loop)
    try run(loop) { client.endsAtPrompt }
    client.forgetReceived()
    let start = MonotonicTime.now
    try client.send("reboot\r")
    try run(loop) { client.endsAtPrompt }
    #expect(MonotonicTime.now - start >= Board.rebootTime)
    client.forgetReceived()
    try client.send("stream 20 200\r")
    try run(loop) { client.endsAtPrompt }
    #expect(client.receivedText.split(separator: "\r\n").count == 22)
  }

  @Test func deviceThatIsNotRead_pauses_andContinues() throws {
    let port = try LoopbackPort(Chatterbox(count: 100_000), on: loop)
    try run(loop) { port.bufferedByteCount == 2 * Pump.capacity }
    try runUntilIdle(loop)
    #expect(port.bufferedByteCount == 2 * Pump.capacity)
    let client = try Client(port.path, on: loop)
    try run(loop) { client.received.count >= 400_000 }
    #expect(difference(client.received, from: Chatterbox.words(0..<100_000)) == nil)
  }

  @Test func idlePort_makesNoWakeup() throws {
    let port = try LoopbackPort(Board(), options: options { $0.baudRate = 115_200 }, on: loop)
    let client = try Client(port.path, on: loop)
    try run(loop) { client.endsAtPrompt }
    try runUntilIdle(loop)
    withExtendedLifetime(port) {}
  }

  // MARK: The wire

  @Test func pacing_takesTheTimeOfTheLine() throws {
    let port = try LoopbackPort(EchoDevice(), options: options { $0.baudRate = 100_000 }, on: loop)
    let client = try Client(port.path, on: loop)
    let bytes = pattern(2_000)
    let start = MonotonicTime.now
    try client.send(bytes)
    try run(loop) { client.received.count >= bytes.count }
    #expect(difference(client.received, from: bytes) == nil)
    // 2,000 bytes at 10,000 per second. They return while others are still being sent.
    #expect(MonotonicTime.now - start >= .milliseconds(200))
  }

  @Test func faults_affectTheBytes_asTheSeedDetermines() throws {
    let options = options {
      $0.dropProbability = 0.1
      $0.corruptProbability = 0.1
      $0.seed = 7
    }
    let bytes = pattern(20_000)
    var seeds = SplitMix64(seed: 7)
    var faults = LineFaults(dropProbability: 0.1, corruptProbability: 0.1, seed: seeds.next())
    var expected = bytes
    expected.removeLast(bytes.count - expected.withUnsafeMutableBytes { faults.apply(to: $0) })
    let recorder = Recorder()
    let port = try LoopbackPort(recorder.device, options: options, on: loop)
    let client = try Client(port.path, on: loop)
    try client.send(bytes)
    try run(loop) { recorder.received.count >= expected.count }
    #expect(recorder.received == expected)
  }

  // MARK: Clients

  @Test func settingsOfOneClient_areReset_beforeTheNext() throws {
    let port = try LoopbackPort(EchoDevice(), on: loop)
    var first: Client? = try Client(port.path, on: loop)
    try first?.send("one")
    try run(loop) { first!.receivedText == "one" }
    first?.makeCooked()
    first?.makeExclusive()
    first = nil
    // Only root can open an exclusive terminal. Root sees when the attributes change.
    try run(loop) { (try? Client(port.path, O_RDONLY, on: loop).isRaw) ?? false }
    let second = try Client(port.path, on: loop)
    var isExclusive: CInt = -1
    #expect(ioctl(second.descriptor, TerminalRequest.isExclusive, &isExclusive) == 0)
    #expect(isExclusive == 0)
    // When this side opens the node again, that does not count as another client.
    try runUntilIdle(loop)
    let all = Array(UInt8.min...UInt8.max)
    try second.send(all)
    try run(loop) { second.received.count >= all.count }
    #expect(difference(second.received, from: all) == nil)
  }

  @Test func terminalThatSeemsInUse_whenAClientHasClosed_isLookedAtAgain() throws {
    let port = try LoopbackPort(EchoDevice(), on: loop)
    // Simulates a close that takes time. The close of a read-only client is not reported.
    var slow: Client? = try Client(port.path, O_RDONLY, on: loop)
    var client: Client? = try Client(port.path, on: loop)
    client?.makeCooked()
    client = nil
    try loop.turn(waitingAtMost: .seconds(5))
    #expect(slow?.isRaw == false)
    slow = nil
    try run(loop) { try Client(port.path, O_RDONLY, on: loop).isRaw }
  }

  @Test func clientThatOnlySets_setsForTheNext() throws {
    let port = try LoopbackPort(EchoDevice(), on: loop)
    // Like stty(1).
    var setter: Client? = try Client(port.path, O_RDONLY, on: loop)
    setter?.makeCooked()
    setter = nil
    let client = try Client(port.path, on: loop)
    try client.send("typed\n")
    try run(loop) { client.receivedText.count >= 2 * "typed\n".count }
    #expect(!client.isRaw)
  }

  @Test(.enabled(if: geteuid() == 0, "vhangup(2) is for root"))
  func port_continues_whenAProgramHangsUpItsTerminal() throws {
    let port = try LoopbackPort(EchoDevice(), on: loop)
    var first: Client? = try Client(port.path, on: loop)
    first?.makeCooked()
    #expect(ioctl(first!.descriptor, UInt(TIOCVHANGUP), 0 as CInt) == 0)
    try run(loop) { first!.hasEnded }
    first = nil
    try run(loop) { try Client(port.path, O_RDONLY, on: loop).isRaw }
    let second = try Client(port.path, on: loop)
    try second.send("back again")
    try run(loop) { second.received.count >= 10 }
    #expect(second.receivedText == "back again")
  }

  // MARK: Hanging up

  @Test func hangUpAfter_waits_untilTheLastBytesAreRead() throws {
    var reasons: [LoopbackHangUp] = []
    let port = try LoopbackPort(
      EchoDevice(), options: options { $0.hangUpAfter = 1_000 }, on: loop
    ) { reasons.append($0) }
    let client = try Client(port.path, on: loop, isReading: false)
    client.readSizes = [1]
    let bytes = pattern(600)
    try client.send(bytes)
    // 600 bytes to the device and 400 bytes back make 1,000, so 200 will never arrive.
    try run(loop) { port.bufferedByteCount == 200 }
    #expect(reasons == [])
    #expect(!client.hasEnded)
    try client.setReading(true)
    try run(loop) { client.received.count >= 400 }
    #expect(difference(client.received, from: Array(bytes.prefix(400))) == nil)
    // The event of the read is already queued, so no wait is needed.
    try loop.turn(waitingAtMost: .zero)
    #expect(reasons == [.limitReached])
    try run(loop) { client.hasEnded }
    #expect(throws: Errno.noSuchFileOrDirectory) { try Client(port.path, on: loop) }
  }

  @Test(arguments: [(600, 600), (100, 250), (1, 1)])
  func hangUpAfter_comesAtOnce_whenNothingIsLeftToRead(limit: Int, sent: Int) throws {
    let recorder = Recorder()
    var reasons: [LoopbackHangUp] = []
    let port = try LoopbackPort(
      recorder.device, options: options { $0.hangUpAfter = limit }, on: loop
    ) { reasons.append($0) }
    let client = try Client(port.path, on: loop)
    let bytes = pattern(sent)
    try client.send(bytes)
    try run(loop) { recorder.received.count >= limit }
    #expect(reasons == [.limitReached], "in the same turn")
    #expect(recorder.received == Array(bytes.prefix(limit)))
    try run(loop) { client.hasEnded }
  }

  @Test func hangUpAfter_countsBothDirections_ofAFlow() throws {
    let port = try LoopbackPort(
      EchoDevice(), options: options { $0.hangUpAfter = 500_000 }, on: loop)
    let client = try Client(port.path, on: loop)
    let bytes = pattern(300_000)
    try client.send(bytes)
    try run(loop) { client.hasEnded }
    // At least the bytes that remain after everything was sent; at most one for every sent byte.
    #expect((200_000...250_000).contains(client.received.count))
    #expect(difference(client.received, from: Array(bytes.prefix(client.received.count))) == nil)
  }

  @Test func hangUpAfter_doesNotWaitForEver_forAClientThatReadsNothing() throws {
    var isHungUp = false
    let port = try LoopbackPort(
      EchoDevice(), options: options { $0.hangUpAfter = 2 }, on: loop
    ) { _ in isHungUp = true }
    let client = try Client(port.path, on: loop, isReading: false)
    let start = MonotonicTime.now
    try client.send("x")
    try run(loop) { isHungUp }
    #expect(MonotonicTime.now - start >= .seconds(1))
  }

  @Test func portMayBeLetGoOf_whenItTellsOfItsHangUp() throws {
    var port: LoopbackPort?
    port = try LoopbackPort(
      EchoDevice(), options: options { $0.hangUpAfter = 1 }, on: loop
    ) { _ in port = nil }
    let client = try Client(port!.path, on: loop)
    try client.send("x")
    try run(loop) { client.hasEnded }
    #expect(port == nil)
  }

  @Test func portThatIsLetGoOf_isGone() throws {
    var port: LoopbackPort? = try LoopbackPort(Board(), on: loop)
    let client = try Client(port!.path, on: loop)
    weak let watched = port
    port = nil
    #expect(watched == nil)
    try run(loop) { client.hasEnded }
    #expect(throws: Errno.noSuchFileOrDirectory) { try Client(client.path, on: loop) }
  }
}
