import TestSupport
import Testing

@testable import TransferProtocols

#if canImport(Glibc)
  import Glibc
#endif

/// ZMODEM on lines that damage and lose bytes, with sides that stop, fail or restart.
@Suite struct ZmodemFaultTests {
  typealias Fault = ([UInt8], Bool) -> [UInt8]

  // MARK: Headers

  enum Damage: CaseIterable { case changed, cut, lost }

  /// A fault that damages the first headers of a type.
  static func damaging(
    _ frame: ZmodemFrame, fromSender: Bool, times: Int = 1, _ damage: Damage
  ) -> Fault {
    var left = times
    let hex = Array("**\u{18}B".utf8) + Array(ZmodemEncoder.hex(ZmodemHeader(frame))[4..<6])
    let binary: [[UInt8]] = [ZmodemCharacter.binary, ZmodemCharacter.binary32].map { form in
      let type = frame.rawValue
      return [0x2A, 0x18, form] + (type & 0x7F == 0x10 ? [0x18, type ^ 0x40] : [type])
    }
    return { bytes, direction in
      guard direction == fromSender, left > 0 else { return bytes }
      // All of them begin with an asterisk.
      for start in bytes.indices where bytes[start] == 0x2A {
        for pattern in [hex] + binary where bytes[start...].starts(with: pattern) {
          left -= 1
          var faulty = bytes
          switch damage {
          case .changed: faulty[start + pattern.count] ^= 1
          case .cut: faulty.removeSubrange((start + 1)..<min(start + pattern.count, faulty.count))
          case .lost: faulty.removeSubrange(start..<min(start + 14, faulty.count))
          }
          return faulty
        }
      }
      return bytes
    }
  }

  @Test(
    arguments: [
      (ZmodemFrame.zrqinit, true), (.zrinit, false), (.zsinit, true), (.zack, false),
      (.zfile, true), (.zrpos, false), (.zcrc, false), (.zcrc, true), (.zdata, true), (.zeof, true),
      (.zskip, false), (.zfin, true), (.zfin, false),
    ], Damage.allCases)
  func everyHeaderMayBeDamaged(_ header: (ZmodemFrame, Bool), _ damage: Damage) {
    let contents = [randomBytes(3_000), randomBytes(4_000, seed: 2), randomBytes(5_000, seed: 3)]
    for times in [1, 2] {
      let bench = ZmodemTests.bench(
        ["a", "b", "c"].enumerated().map { BenchFile($1, contents[$0]) }, window: 1_024,
        escapesControls: (true, false))
      bench.piece = 4_096
      bench.fault = Self.damaging(header.0, fromSender: header.1, times: times, damage)
      bench.receiver.partials[Array("a".utf8)] = Array(contents[0].prefix(1_000))
      bench.receiver.declined = [Array("b".utf8)]
      bench.run()
      #expect(bench.sender.end == .done && bench.receiver.end == .done)
      #expect(bench.receiver.received.map(\.contents) == [contents[0], contents[2]])
      #expect(bench.receiver.received.allSatisfy { $0.end == .complete })
      #expect(bench.elapsed < .seconds(35), "\(bench.elapsed)")
    }
  }

  @Test func aHeaderWithAChangedBitIsNone() {
    let header = ZmodemHeader(.zrpos, 0x4142_4344)
    var forms = [Array(ZmodemEncoder.hex(header).prefix(18))]
    for usesCRC32 in [false, true] {
      var encoder = ZmodemEncoder()
      encoder.usesCRC32 = usesCRC32
      encoder.append(header)
      forms.append(encoder.flush())
    }
    for form in forms {
      var decoder = ZmodemDecoder(readsData: false)
      decoder.feed(form)
      #expect(decoder.next() == .header(header))
      for place in 4..<form.count {
        var changed = form
        changed[place] ^= 1
        var decoder = ZmodemDecoder(readsData: false)
        decoder.feed(changed)
        while let item = decoder.next() { #expect(item == .damagedHeader, "byte \(place)") }
      }
    }
  }

  @Test func aDamagedSubpacketIsAskedForOnce() {
    let bytes = randomBytes(100_000)
    let bench = ZmodemTests.bench([BenchFile("a", bytes)])
    var sent = 0
    bench.fault = { bytes, fromSender in
      guard fromSender else { return bytes }
      defer { sent += bytes.count }
      return (50_000..<50_064).contains(sent) ? bytes.map { $0 ^ 1 } : bytes
    }
    bench.run()
    ZmodemTests.expectSuccess(bench, [bytes])
    #expect(bench.receiver.progress.retries == 1)
    #expect(bench.sender.progress.retries == 1)
    // Little more than the damaged subpacket is sent again.
    #expect(sent < bytes.count * 104 / 100 + 4_000)
  }

  @Test func aSubpacketWithoutAnEnd() {
    var decoder = ZmodemDecoder(readsData: true)
    var encoder = ZmodemEncoder()
    encoder.append(ZmodemHeader(.zdata))
    decoder.feed(encoder.flush())
    #expect(decoder.next() == .header(ZmodemHeader(.zdata)))
    decoder.feed([UInt8](repeating: 0x41, count: ZmodemDecoder.longestSubpacket))
    #expect(decoder.next() == nil)
    decoder.feed([0x41, 0x41])
    #expect(decoder.next() == .damagedSubpacket)
  }

  @Test func lostBytesInTheMiddle() {
    let bytes = randomBytes(100_000)
    let bench = ZmodemTests.bench([BenchFile("a", bytes)])
    var sent = 0
    bench.fault = { bytes, fromSender in
      guard fromSender else { return bytes }
      defer { sent += bytes.count }
      return (50_000..<55_000).contains(sent) ? [] : bytes
    }
    bench.run()
    ZmodemTests.expectSuccess(bench, [bytes])
    #expect(bench.elapsed < .seconds(11))
  }

  @Test func aRepeatedPositionRestartsOnce() {
    let bytes = randomBytes(50_000)
    let bench = ZmodemTests.bench([BenchFile("a", bytes)])
    var sent = 0
    bench.fault = { bytes, fromSender in
      guard fromSender else {
        let isPosition = bytes.starts(with: Array("**\u{18}B09".utf8))
        let isFirst = bytes == ZmodemEncoder.hex(ZmodemHeader(.zrpos))
        return isPosition && !isFirst ? bytes + bytes + bytes : bytes
      }
      defer { sent += bytes.count }
      return (20_000..<20_064).contains(sent) ? bytes.map { $0 ^ 1 } : bytes
    }
    bench.run()
    ZmodemTests.expectSuccess(bench, [bytes])
    #expect(bench.sender.progress.retries == 1)
    #expect(bench.receiver.progress.retries == 1)
  }

  @Test func dataOfAnotherPlaceAreNotWritten() {
    var receiver = ZmodemReceiver(conditions: TransferConditions())
    _ = receiver.handle(.begun, at: .zero)
    var encoder = ZmodemEncoder()
    func frame(_ position: Int) -> [UInt8] {
      encoder.append(ZmodemHeader(.zdata, position))
      encoder.append(randomBytes(100), end: .continues)
      return encoder.flush()
    }
    encoder.append(ZmodemHeader(.zfile))
    encoder.append(Array("a\u{0}1000 0 0\u{0}".utf8), end: .waits)
    _ = receiver.handle(.received(encoder.flush()), at: .zero)
    _ = receiver.handle(.accepted(partialCount: 0), at: .zero)
    let first = receiver.handle(.received(frame(0)), at: .zero)
    #expect(first.contains(.write(randomBytes(100))))
    for position in [0, 99, 101, 200, 1_000] {
      let actions = receiver.handle(.received(frame(position)), at: .zero)
      #expect(actions.contains(.send(ZmodemEncoder.hex(ZmodemHeader(.zrpos, 100)))))
      #expect(!actions.contains { if case .write = $0 { true } else { false } })
    }
    let second = receiver.handle(.received(frame(100)), at: .zero)
    #expect(second.contains(.write(randomBytes(100))))
  }

  // MARK: What the other side says

  @Test(arguments: [0, 2, 20, 500, 2_000, 4_000])
  func nakOfTheReceiver(_ time: Int) {
    let bytes = randomBytes(30_000)
    let bench = ZmodemTests.bench([BenchFile("a", bytes)])
    bench.at(.milliseconds(time)) { [unowned bench] in
      bench.inject(ZmodemEncoder.hex(ZmodemHeader(.znak)), to: bench.sender)
      bench.inject(ZmodemEncoder.hex(ZmodemHeader(.znak)), to: bench.receiver)
    }
    bench.run()
    ZmodemTests.expectSuccess(bench, [bytes])
  }

  @Test func theReceiverSkipsInTheMiddle() {
    let contents = [randomBytes(50_000), randomBytes(2_000)]
    let bench = ZmodemTests.bench([BenchFile("a", contents[0]), BenchFile("b", contents[1])])
    bench.at(.seconds(2)) { [unowned bench] in
      bench.inject(ZmodemEncoder.hex(ZmodemHeader(.zskip)), to: bench.sender)
    }
    bench.run()
    #expect(bench.sender.end == .done && bench.receiver.end == .done)
    #expect(bench.sender.fileEnds == [.skipped, .complete])
    #expect(bench.receiver.received.map(\.end) == [.skipped, .complete])
    #expect(bench.receiver.received[1].contents == contents[1])
  }

  @Test func theSenderSkipsInTheMiddle() {
    let bench = ZmodemTests.bench([BenchFile("a", randomBytes(5_000))])
    bench.at(.milliseconds(100)) { [unowned bench] in
      bench.inject(ZmodemEncoder.hex(ZmodemHeader(.zskip)), to: bench.receiver)
    }
    bench.run()
    #expect(bench.receiver.received.first?.end == .skipped)
    #expect(bench.receiver.end != nil && bench.sender.end != nil)
  }

  @Test(arguments: [
    (ZmodemFrame.zferr, TransferFailure.otherStorage), (.zabort, .cancelled),
  ])
  func theReceiverGivesUp(_ frame: ZmodemFrame, _ failure: TransferFailure) {
    for time in [2, 1_000] {
      let bench = ZmodemTests.bench([BenchFile("a", randomBytes(50_000))])
      bench.at(.milliseconds(time)) { [unowned bench] in
        bench.inject(ZmodemEncoder.hex(ZmodemHeader(frame)), to: bench.sender)
      }
      bench.run()
      #expect(bench.sender.end == .failed(failure))
      #expect(bench.receiver.end != nil)
      #expect(bench.receiver.received.allSatisfy { $0.end == nil })
    }
  }

  @Test(arguments: [
    (ZmodemFrame.zferr, TransferFailure.otherStorage), (.zabort, .cancelled),
  ])
  func theSenderGivesUp(_ frame: ZmodemFrame, _ failure: TransferFailure) {
    let bench = ZmodemTests.bench([BenchFile("a", randomBytes(50_000))])
    bench.at(.seconds(1)) { [unowned bench] in
      bench.handle(bench.receiver, .received([0x18, 0x00]))
      bench.inject(ZmodemEncoder.hex(ZmodemHeader(frame)), to: bench.receiver)
    }
    bench.run()
    #expect(bench.receiver.end == .failed(failure))
    #expect(bench.sender.end != nil)
  }

  @Test func commandsAreRefused() {
    var receiver = ZmodemReceiver(conditions: TransferConditions())
    _ = receiver.handle(.begun, at: .zero)
    var encoder = ZmodemEncoder()
    encoder.append(ZmodemHeader(.zcommand))
    encoder.append(Array("rm -rf /\u{0}".utf8), end: .waits)
    let command = encoder.flush()
    let actions = receiver.handle(.received(command + command), at: .zero)
    let answer = ZmodemEncoder.hex(ZmodemHeader(.zcompl, 1))
    #expect(
      actions == [
        .send(answer), .say(.commandRefused(Array("rm -rf /".utf8))), .send(answer),
      ])
    // The session continues.
    let farewell = receiver.handle(.received(ZmodemEncoder.hex(ZmodemHeader(.zfin))), at: .zero)
    #expect(farewell.first == .send(ZmodemEncoder.hex(ZmodemHeader(.zfin))))
    #expect(receiver.handle(.received(Array("OO".utf8)), at: .zero) == [.finish(.done)])
  }

  @Test func questionsAreAnswered() {
    var receiver = ZmodemReceiver(conditions: TransferConditions())
    _ = receiver.handle(.begun, at: .zero)
    #expect(
      receiver.handle(.received(ZmodemEncoder.hex(ZmodemHeader(.zfreecnt))), at: .zero)
        == [.send(ZmodemEncoder.hex(ZmodemHeader(.zack)))])
    var sender = ZmodemSender(conditions: TransferConditions())
    _ = sender.handle(.begun, at: .zero)
    #expect(
      sender.handle(.received(ZmodemEncoder.hex(ZmodemHeader(.zchallenge, 123_456))), at: .zero)
        == [.send(ZmodemEncoder.hex(ZmodemHeader(.zack, 123_456)))])
  }

  @Test func moreThanAnnounced() {
    var receiver = ZmodemReceiver(conditions: TransferConditions())
    _ = receiver.handle(.begun, at: .zero)
    var encoder = ZmodemEncoder()
    encoder.append(ZmodemHeader(.zfile))
    encoder.append(Array("a\u{0}100 0 0\u{0}".utf8), end: .waits)
    _ = receiver.handle(.received(encoder.flush()), at: .zero)
    _ = receiver.handle(.accepted(partialCount: 0), at: .zero)
    encoder.append(ZmodemHeader(.zdata))
    encoder.append(randomBytes(100), end: .continues)
    encoder.append([0], end: .continues)
    let actions = receiver.handle(.received(encoder.flush()), at: .zero)
    #expect(actions.contains(.write(randomBytes(100))))
    #expect(actions.contains(.send(cancelSequence)))
    #expect(receiver.handle(.woken, at: .seconds(2)) == [.finish(.failed(.tooLarge))])
  }

  @Test(arguments: [0, 25])
  func afterACancellationNothingIsSent(errors: Int) {
    var receiver = ZmodemReceiver(conditions: TransferConditions(bytesPerSecond: 0))
    _ = receiver.handle(.begun, at: .zero)
    var encoder = ZmodemEncoder()
    encoder.append(ZmodemHeader(.zfile))
    encoder.append(Array("a\u{0}1000 0 0\u{0}".utf8), end: .waits)
    _ = receiver.handle(.received(encoder.flush()), at: .zero)
    _ = receiver.handle(.accepted(partialCount: 0), at: .zero)
    for _ in 0..<errors {
      encoder.append(ZmodemHeader(.zdata, 500))
      _ = receiver.handle(.received(encoder.flush()), at: .zero)
    }
    // More than may be under way when the position was requested, and the sender's end.
    let noise = [UInt8](repeating: UInt8(ascii: "x"), count: (4_096 << min(errors, 8)) + 1)
    let actions = receiver.handle(.received(noise + cancelSequence), at: .zero)
    #expect(!actions.contains { if case .send = $0 { true } else { false } })
    #expect(receiver.handle(.woken, at: .seconds(2)).last == .finish(.failed(.cancelled)))
  }

  @Test func aReceiverThatBeginsAgainAndAgain() {
    let bench = ZmodemTests.bench([BenchFile("a", randomBytes(50_000))])
    for number in 1...100 {
      bench.at(.milliseconds(100 * number)) { [unowned bench] in
        bench.inject(ZmodemEncoder.hex(ZmodemHeader(.zrinit, flags: 0x23)), to: bench.sender)
      }
    }
    bench.run()
    #expect(bench.sender.end == .failed(.tooManyErrors))
    #expect(bench.receiver.end == .failed(.cancelled))
  }

  @Test func aSenderWithoutZCRC() {
    let bytes = randomBytes(20_000)
    let bench = ZmodemTests.bench([BenchFile("a", bytes)])
    bench.receiver.partials[[0x61]] = Array(bytes.prefix(10_000))
    bench.fault = { bytes, fromSender in
      !fromSender && bytes.starts(with: Array("**\u{18}B0d".utf8)) ? [] : bytes
    }
    bench.run()
    ZmodemTests.expectSuccess(bench, [bytes])
    #expect(bench.receiver.remarks.isEmpty)
    #expect(bench.elapsed < .seconds(30))
  }

  // MARK: Stopping

  @Test(arguments: [true, false], [0, 1, 5, 500, 4_000])
  func eitherSideStops(_ isSender: Bool, _ milliseconds: Int) {
    let bench = ZmodemTests.bench([BenchFile("a", randomBytes(100_000))])
    let (stopping, other) =
      isSender ? (bench.sender, bench.receiver) : (bench.receiver, bench.sender)
    var (stopTime, endTime) = (Duration.zero, Duration.zero)
    bench.at(.milliseconds(milliseconds)) { [unowned bench] in
      stopTime = bench.elapsed
      bench.handle(stopping, .stopped)
    }
    bench.fault = { [unowned bench] bytes, _ in
      if stopping.end == nil { endTime = bench.elapsed }
      return bytes
    }
    bench.run()
    #expect(stopping.end == .failed(.stopped))
    #expect(other.end == .failed(.cancelled))
    #expect(endTime - stopTime <= .milliseconds(1_100))
    #expect(bench.elapsed - stopTime <= .seconds(2))
  }

  @Test func aFailedFileEndsTheTransfer() {
    for isSender in [true, false] {
      let bench = ZmodemTests.bench([BenchFile("a", randomBytes(100_000))])
      bench.at(.seconds(1)) { [unowned bench] in
        bench.handle(isSender ? bench.sender : bench.receiver, .storageFailed)
      }
      bench.run()
      #expect(bench.sender.end == .failed(isSender ? .storage : .cancelled))
      #expect(bench.receiver.end == .failed(isSender ? .cancelled : .storage))
    }
  }

  @Test(arguments: [true, false])
  func theOtherSideDies(_ isSender: Bool) {
    let bench = ZmodemTests.bench([BenchFile("a", randomBytes(100_000))])
    let dying = isSender ? bench.sender : bench.receiver
    bench.at(.seconds(4)) { [unowned bench] in bench.lose(dying) }
    bench.run()
    let left = isSender ? bench.receiver : bench.sender
    #expect(left.end == .failed(.timedOut))
    #expect(bench.elapsed > .seconds(60) && bench.elapsed < .seconds(90))
  }

  /// Delays the handling of all events by a time.
  private struct Pausing: TransferMachine {
    var machine: any TransferMachine
    let pause: Range<Duration>
    var held: [TransferEvent] = []

    mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
      held.append(event)
      guard !pause.contains(now) else { return [.wake(at: pause.upperBound)] }
      defer { held = [] }
      return held.flatMap { machine.handle($0, at: now) }
    }
  }

  @Test(arguments: [5, 50])
  func theReceiverPauses(_ seconds: Int) {
    let bytes = randomBytes(60_000)
    let bench = ZmodemTests.bench([BenchFile("a", bytes)])
    let pause = Duration.seconds(1_002)..<Duration.seconds(1_002 + seconds)
    bench.receiver.machine = Pausing(machine: bench.receiver.machine, pause: pause)
    bench.run()
    ZmodemTests.expectSuccess(bench, [bytes])
    #expect(bench.elapsed < .seconds(seconds + 12))
  }

  // MARK: Losing the port

  enum Restarted: CaseIterable { case none, sender, receiver }

  @Test(arguments: [true, false], Restarted.allCases)
  func thePortIsLostAndRegained(_ isSender: Bool, _ restarted: Restarted) {
    let contents = [randomBytes(10_000), randomBytes(60_000, seed: 2)]
    // In the first file, between the files, in the second one, and at its end.
    for milliseconds in [0, 500, 900, 915, 3_000, 6_250, 6_300, 6_310] {
      let bench = ZmodemTests.bench([BenchFile("a", contents[0]), BenchFile("b", contents[1])])
      let side = isSender ? bench.sender : bench.receiver
      let conditions = TransferConditions(bytesPerSecond: 11_520)
      bench.at(.milliseconds(milliseconds)) { [unowned bench] in
        guard side.end == nil else { return }
        bench.lose(side)
        bench.at(bench.elapsed + .seconds(4)) { [unowned bench] in
          switch restarted {
          case .none: break
          case .sender: bench.restart(bench.sender, with: ZmodemSender(conditions: conditions))
          case .receiver:
            bench.restart(bench.receiver, with: ZmodemReceiver(conditions: conditions))
          }
          bench.regain(side)
        }
      }
      bench.run()
      #expect(bench.sender.end == .done, "at \(milliseconds) ms")
      #expect(bench.receiver.end == .done, "at \(milliseconds) ms")
      let complete = bench.receiver.received.filter { $0.end == .complete }
      for (name, bytes) in zip(["a", "b"], contents) {
        let files = bench.receiver.received.filter { $0.info.name == Array(name.utf8) }
        #expect(
          files.allSatisfy { $0.end == nil || $0.contents == bytes },
          "\(name) at \(milliseconds) ms")
        // A receiver that is restarted between the last byte and the end of a file has the whole
        // file, but does not learn that.
        #expect(
          files.contains {
            $0.end == .complete || restarted == .receiver && $0.contents == bytes
          }, "\(name) at \(milliseconds) ms")
      }
      if restarted != .receiver { #expect(complete.count == 2, "at \(milliseconds) ms") }
      if restarted == .none {
        #expect(bench.sender.fileEnds == [.complete, .complete], "at \(milliseconds) ms")
      }
      #expect(bench.elapsed < .seconds(45), "at \(milliseconds) ms")
    }
  }

  // MARK: Noise

  /// The number of seeds: few, so that the test is fast, unless the environment variable sets more.
  static var seeds: Int {
    getenv("SERIALTERM_TRANSFER_SEEDS").flatMap { Int(String(cString: $0)) } ?? 40
  }

  @Test func noiseDamagesNoFile() {
    var succeeded = 0
    for seed in 0..<Self.seeds {
      var random = SplitMix64(seed: UInt64(seed))
      let rate = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3][seed % 5]
      let drops = seed % 2 == 0
      let contents = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        randomBytes(Int.random(in: 0...6_000, using: &random), seed: random.next())
      }
      let bench = ZmodemTests.bench(
        contents.enumerated().map { BenchFile("\($0)", $1) },
        window: seed % 7 == 0 ? 2_048 : nil, escapesControls: (seed % 11 == 0, seed % 13 == 0))
      bench.piece = 256
      bench.fault = noise(
        seed: UInt64(seed), corrupting: rate * (drops ? 0.5 : 1), dropping: drops ? rate * 0.5 : 0)
      if seed % 3 == 0 {
        bench.receiver.partials[Array("0".utf8)] = Array(contents[0].prefix(2_000))
      }
      bench.limit = .seconds(4_000)
      bench.run()
      #expect(bench.sender.end != nil && bench.receiver.end != nil, "seed \(seed) does not end")
      if bench.sender.end == .done, bench.receiver.end == .done {
        succeeded += 1
      } else if rate < 1e-3 {
        Issue.record("seed \(seed): \(bench.sender.end as Any), \(bench.receiver.end as Any)")
      }
      for file in bench.receiver.received where file.end == .complete {
        let number = Int(String(decoding: file.info.name, as: UTF8.self)) ?? -1
        #expect(
          contents.indices.contains(number) && file.contents == contents[number],
          "seed \(seed): wrong file")
      }
      let complete = bench.receiver.received.filter { $0.end == .complete }.count
      if bench.sender.end == .done { #expect(complete == contents.count, "seed \(seed)") }
    }
    #expect(succeeded >= Self.seeds * 98 / 100)
  }
}
