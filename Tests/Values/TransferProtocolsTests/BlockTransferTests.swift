import Testing

@testable import TransferProtocols

/// The program's sender and receiver, connected by a line.
@Suite struct BlockTransferTests {
  static let kinds = [
    BlockProtocol.xmodem, .xmodem1K, .ymodem, .ymodemG,
  ]
  static let sizes = [0, 1, 127, 128, 129, 895, 896, 897, 1_023, 1_024, 1_025, 65_537]

  private func bench(_ kind: BlockProtocol, _ files: [BenchFile]) -> TransferBench {
    let conditions = TransferConditions(bytesPerSecond: 11_520)
    return TransferBench(
      BlockSender(kind, conditions: conditions), BlockReceiver(kind, conditions: conditions),
      files: files)
  }

  /// The contents that a receiver must have. XMODEM pads a file.
  private func expected(_ contents: [UInt8], _ kind: BlockProtocol) -> [UInt8] {
    guard kind == .xmodem || kind == .xmodem1K else { return contents }
    let rest = contents.count % 128
    return contents + [UInt8](repeating: 0x1A, count: rest == 0 ? 0 : 128 - rest)
  }

  @Test(arguments: kinds, sizes)
  func everySize(_ kind: BlockProtocol, _ size: Int) {
    let contents = randomBytes(size)
    let bench = bench(kind, [BenchFile("boot.bin", contents)])
    bench.run()
    #expect(bench.sender.end == .done)
    #expect(bench.receiver.end == .done)
    let received = bench.receiver.received.first
    // A long block at the end has more padding.
    #expect(received?.contents.prefix(size) == contents[...])
    #expect(
      received?.contents == expected(contents, kind)
        || (kind == .xmodem1K && received?.contents.count.isMultiple(of: 1_024) == true))
    #expect(received?.end == .complete)
    #expect(bench.sender.fileEnds == [.complete])
    #expect(bench.sender.progress == TransferProgress(position: size))
  }

  static let contents: [[UInt8]] = [
    (0...1_000).map { UInt8(truncatingIfNeeded: $0) },
    [UInt8](repeating: 0xFF, count: 1_500), [UInt8](repeating: 0x1A, count: 300),
    [UInt8](repeating: 0x18, count: 300), [UInt8](repeating: 0x04, count: 300),
    Array("text\u{1A}".utf8), Array("**\u{18}B00000000000000\r\n".utf8),
  ]

  @Test(arguments: kinds, contents)
  func everyContents(_ kind: BlockProtocol, _ contents: [UInt8]) {
    for piece in [1, 7, 100_000] {
      let bench = bench(kind, [BenchFile("f", contents)])
      bench.piece = piece
      bench.run()
      #expect(bench.receiver.received.first?.contents.prefix(contents.count) == contents[...])
      #expect(bench.receiver.end == .done)
      #expect(bench.sender.progress.retries == 0)
    }
  }

  @Test(arguments: [BlockProtocol.ymodem, .ymodemG])
  func severalFiles(_ kind: BlockProtocol) {
    let files = (0..<20).map { BenchFile("file \($0) ä.bin", randomBytes($0 * 100, seed: 3)) }
    let bench = bench(kind, files)
    bench.run()
    #expect(bench.sender.end == .done)
    #expect(bench.receiver.received.map(\.info) == files.map(\.info))
    #expect(bench.receiver.received.map(\.contents) == files.map { $0.bytes(0..<$0.info.size!) })
    #expect(bench.sender.fileEnds.count == 20)
  }

  @Test func declinedFilesAreNotKept() {
    let files = [BenchFile("a", randomBytes(3_000)), BenchFile("b", randomBytes(10))]
    let bench = bench(.ymodem, files)
    bench.receiver.declined = [Array("a".utf8)]
    bench.run()
    #expect(bench.receiver.received.map(\.info.name) == [Array("b".utf8)])
    #expect(bench.receiver.received.first?.contents == files[1].bytes(0..<10))
    #expect(bench.receiver.end == .done)
  }

  @Test(arguments: kinds) func theReceiverMayComeAMinuteLate(_ kind: BlockProtocol) {
    let bench = bench(kind, [BenchFile("f", randomBytes(5_000))])
    bench.run(receiverBegins: .seconds(60))
    #expect(bench.sender.end == .done)
    #expect(bench.receiver.end == .done)
  }

  @Test(arguments: kinds) func theSenderMayComeAMinuteLate(_ kind: BlockProtocol) {
    let bench = bench(kind, [BenchFile("f", randomBytes(5_000))])
    bench.run(senderBegins: .seconds(60))
    #expect(bench.sender.end == .done)
    #expect(bench.receiver.received.first?.contents.prefix(5_000) == randomBytes(5_000)[...])
  }

  @Test(arguments: kinds) func nobodyIsThere(_ kind: BlockProtocol) {
    let sending = bench(kind, [BenchFile("f", [1])])
    sending.run(receiverBegins: nil)
    #expect(sending.sender.end == .failed(.noAnswer))
    let receiving = bench(kind, [])
    receiving.run(senderBegins: nil)
    #expect(receiving.receiver.end == .failed(.noAnswer))
    #expect(receiving.elapsed < .seconds(110))
  }

  // MARK: Faults

  /// The seeds of the noise. The variable sets their number.
  static var seeds: Range<UInt64> { 0..<transferSeedCount }

  @Test(arguments: kinds) func noiseNeverMakesAWrongFile(_ kind: BlockProtocol) {
    var done = 0
    for seed in Self.seeds {
      let contents = randomBytes(Int(seed * 97 % 9_000), seed: seed)
      let bench = bench(kind, [BenchFile("f", contents)])
      let rate = [1e-5, 1e-4, 1e-3][Int(seed % 3)]
      bench.fault = noise(seed: seed, corrupting: rate, dropping: seed % 2 == 0 ? rate / 2 : 0)
      bench.run()
      guard let end = bench.receiver.end, bench.sender.end != nil else {
        Issue.record("seed \(seed) did not end")
        continue
      }
      for file in bench.receiver.received where file.end == .complete {
        guard file.contents.starts(with: contents) else {
          Issue.record("seed \(seed): a wrong file")
          continue
        }
      }
      if end == .done { done += 1 }
    }
    // Without acknowledgements, errors cannot be corrected.
    #expect(Double(done) > Double(Self.seeds.count) * (kind == .ymodemG ? 0.3 : 0.95))
  }

  /// Damages the byte with a number, counted from 0, in one direction.
  private func damage(_ number: Int, fromSender: Bool) -> ([UInt8], Bool) -> [UInt8] {
    var count = 0
    return { bytes, isFromSender in
      guard isFromSender == fromSender else { return bytes }
      defer { count += bytes.count }
      var bytes = bytes
      let index = number - count
      if bytes.indices.contains(index) { bytes[index] ^= 0xFF }
      return bytes
    }
  }

  @Test(arguments: [BlockProtocol.xmodem, .xmodem1K, .ymodem])
  func everyByteOfTheAnswersMayBeDamaged(_ kind: BlockProtocol) {
    let contents = randomBytes(400)
    for number in 0..<8 {
      let bench = bench(kind, [BenchFile("f", contents)])
      bench.fault = damage(number, fromSender: false)
      bench.run()
      #expect(bench.receiver.received.first?.contents.prefix(400) == contents[...])
      #expect(bench.receiver.received.first?.end == .complete, "byte \(number)")
      #expect(bench.receiver.received.count == 1)
    }
  }

  @Test(arguments: [BlockProtocol.xmodem, .xmodem1K, .ymodem])
  func everyByteOfTheBlocksMayBeDamaged(_ kind: BlockProtocol) {
    let contents = randomBytes(200)
    for number in stride(from: 0, to: 700, by: 3) {
      let bench = bench(kind, [BenchFile("f", contents)])
      bench.fault = damage(number, fromSender: true)
      bench.run()
      #expect(bench.receiver.received.first?.contents.prefix(200) == contents[...])
      #expect(bench.receiver.end == .done, "byte \(number)")
    }
  }

  @Test(arguments: kinds) func theReceiverPausesForItsFlash(_ kind: BlockProtocol) {
    let contents = randomBytes(20_000)
    let bench = bench(kind, [BenchFile("f", contents)])
    // The bytes of the receiver are delayed by 25 s.
    var isLate = false
    bench.fault = { [unowned bench] bytes, isFromSender in
      guard !isFromSender, bench.elapsed > .seconds(1), !isLate else { return bytes }
      isLate = true
      bench.at(bench.elapsed + .seconds(25)) { bench.inject(bytes, to: bench.sender) }
      return []
    }
    bench.run()
    #expect(bench.sender.end == .done)
    #expect(bench.receiver.received.first?.contents.prefix(20_000) == contents[...])
  }

  // MARK: Ends

  @Test(arguments: kinds, [true, false])
  func stopping(_ kind: BlockProtocol, _ bySender: Bool) {
    let bench = bench(kind, [BenchFile("f", randomBytes(100_000))])
    var stopped = Duration.zero
    bench.at(.seconds(3)) { [unowned bench] in
      stopped = bench.elapsed
      bench.handle(bySender ? bench.sender : bench.receiver, .stopped)
    }
    bench.run()
    #expect((bySender ? bench.sender : bench.receiver).end == .failed(.stopped))
    #expect((bySender ? bench.receiver : bench.sender).end == .failed(.cancelled))
    #expect(bench.elapsed - stopped < .seconds(1))
    #expect(bench.receiver.received.first?.end == nil)
  }

  @Test(arguments: [BlockProtocol.xmodem, .xmodem1K, .ymodem])
  func thePromptAfterACancelledTransfer_isTheUsers(
    _ kind: BlockProtocol
  ) {
    let bench = bench(kind, [BenchFile("f", randomBytes(100_000))])
    bench.at(.seconds(3)) { [unowned bench] in bench.handle(bench.sender, .stopped) }
    bench.at(.milliseconds(3_250)) { [unowned bench] in
      bench.inject([0x18, 0x18, 0x08] + Array("\r\ncancelled\r\n$ ".utf8), to: bench.sender)
    }
    bench.run()
    #expect(bench.sender.passed == Array("\r\ncancelled\r\n$ ".utf8))
  }

  @Test(arguments: kinds) func losingThePort(_ kind: BlockProtocol) {
    let bench = bench(kind, [BenchFile("f", randomBytes(100_000))])
    bench.at(.seconds(3)) { [unowned bench] in
      bench.handle(bench.sender, .lost)
      bench.handle(bench.receiver, .lost)
    }
    bench.run()
    #expect(bench.sender.end == .failed(.cutOff))
    #expect(bench.receiver.end == .failed(.cutOff))
  }

  @Test(arguments: kinds) func theOtherSideDies(_ kind: BlockProtocol) {
    let bench = bench(kind, [BenchFile("f", randomBytes(100_000))])
    var isDead = false
    bench.at(.seconds(3)) { isDead = true }
    bench.fault = { bytes, _ in isDead ? [] : bytes }
    bench.run()
    #expect(bench.receiver.end == .failed(kind == .ymodemG ? .outOfStep : .timedOut))
    #expect(bench.sender.end == .failed(kind == .ymodemG ? .endNotAcknowledged : .timedOut))
    #expect(bench.elapsed < .seconds(100))
  }

  @Test(arguments: kinds) func aFileThatCannotBeRead(_ kind: BlockProtocol) {
    let bench = bench(kind, [BenchFile("f", randomBytes(100_000))])
    bench.at(.seconds(3)) { [unowned bench] in bench.handle(bench.sender, .storageFailed) }
    bench.run()
    #expect(bench.sender.end == .failed(.storage))
    #expect(bench.receiver.end == .failed(.cancelled))
  }

  @Test(arguments: [BlockProtocol.ymodem, .ymodemG])
  func aFileThatShrinks(_ kind: BlockProtocol) {
    var file = BenchFile("f", randomBytes(5_000))
    file.info.size = 9_000
    file.bytes = {
      Array(randomBytes(5_000)[min($0.lowerBound, 5_000)..<min($0.upperBound, 5_000)])
    }
    let bench = bench(kind, [file])
    bench.run()
    #expect(bench.sender.end == .failed(.tooShort))
    #expect(bench.receiver.received.first?.end == nil)
  }

  /// A receiver to which a sender describes a file in these words, and its answer.
  private func receiver(ofFile words: String) -> (BlockReceiver, [TransferAction]) {
    var receiver = BlockReceiver(.ymodem)
    _ = receiver.handle(.begun, at: .zero)
    let header = Block.encoded(
      Array("f\u{0}\(words)".utf8), number: 0, check: .crc, padding: 0)
    let actions = receiver.handle(.received(header), at: .zero)
    return (receiver, actions)
  }

  @Test func aSenderThatEndsEarly() {
    var (receiver, _) = receiver(ofFile: "300")
    _ = receiver.handle(.accepted(partialCount: 0), at: .zero)
    let block = Block.encoded([UInt8](repeating: 7, count: 128), number: 1, check: .crc)
    _ = receiver.handle(.received(block), at: .zero)
    _ = receiver.handle(.received([BlockCharacter.eot]), at: .zero)
    var actions: [TransferAction] = []
    for second in 1...3 { actions += receiver.handle(.woken, at: .seconds(second)) }
    #expect(!actions.contains(.endFile(.complete)))
    #expect(actions.contains(.send(cancelSequence)))
    #expect(actions.last == .finish(.failed(.tooShort)))
  }

  @Test(arguments: ["12x", "-1", "0x", "99999999999999999999"])
  func aSizeThatIsNoNumber(_ size: String) {
    var (receiver, actions) = receiver(ofFile: size)
    for second in 1...2 { actions += receiver.handle(.woken, at: .seconds(second)) }
    #expect(!actions.contains { if case .offer = $0 { true } else { false } })
    #expect(actions.contains(.send(cancelSequence)))
    #expect(actions.last == .finish(.failed(.malformedSize)))
  }

  @Test(arguments: [("16", 16), ("0x10", 16), ("0XfF 0 0", 255), (" 7", 7)])
  func aHexadecimalSize(_ words: String, _ size: Int) {
    let (_, actions) = receiver(ofFile: words)
    #expect(actions.contains(.offer(TransferredFile(name: [0x66], size: size))))
  }

  @Test(arguments: [BlockProtocol.xmodem, .xmodem1K])
  func aFileAboveTheLimit(_ kind: BlockProtocol) {
    var conditions = TransferConditions(bytesPerSecond: 11_520)
    let sender = BlockSender(kind, conditions: conditions)
    conditions.largestFile = 2_000
    let bench = TransferBench(
      sender, BlockReceiver(kind, conditions: conditions),
      files: [BenchFile("f", randomBytes(5_000))])
    bench.run()
    #expect(bench.receiver.end == .failed(.tooLarge))
    #expect(bench.sender.end == .failed(.cancelled))
    #expect(bench.receiver.received.first?.count ?? 0 <= 2_000)
    #expect(bench.receiver.received.first?.end == nil)
  }

  // MARK: Speed

  /// The share of the line's capacity that is used for the file, at 115200 baud with 1 ms between a
  /// block and its answer.
  @Test(
    arguments: [
      (BlockProtocol.xmodem, 0.87), (.xmodem1K, 0.97), (.ymodem, 0.97), (.ymodemG, 0.99),
    ])
  func efficiency(_ kind: BlockProtocol, _ least: Double) {
    let size = 100_000
    let bench = bench(kind, [BenchFile("f", randomBytes(size))])
    bench.piece = 16
    bench.run()
    #expect(bench.sender.end == .done)
    // The start and the end take the same time for any length of the file.
    let time = bench.elapsed - .milliseconds(300)
    let needed = Duration.seconds(1) * size / bench.bytesPerSecond
    #expect(needed / time >= least)
  }

  @Test func theQueueStaysSmall() {
    let file = BenchFile("sparse", size: 10_000_000_000) { [UInt8](repeating: 0, count: $0.count) }
    let bench = bench(.ymodemG, [file])
    bench.bytesPerSecond = 50_000_000
    bench.piece = 4_096
    bench.receiver.keepsContents = false
    bench.limit = .milliseconds(250)
    bench.run()
    #expect(bench.receiver.received.first?.count ?? 0 > 1_000_000)
    #expect(bench.sender.largestQueue < 40_000)
  }

  @Test func textBeforeTheBeginningIsNoRequest() {
    let early: [(text: String, isRequest: Bool)] = [
      ("## Ready CCC at 115200\r\n", false), ("Cold start\r\n", false), ("bps...\r\nC", true),
      ("C", true), ("CC\r\nCold C", true), ("\u{15}", true), ("ABC", false),
    ]
    for (text, isRequest) in early {
      var sender = BlockSender(.xmodem)
      #expect(sender.handle(.begun, at: .zero) == [.nextFile])
      _ = sender.handle(.received(Array(text.utf8)), at: .zero)
      _ = sender.handle(.file(TransferredFile(name: [0x66], size: 1)), at: .zero)
      let actions = sender.handle(.woken, at: BlockSender.requestSilence)
      #expect(actions.contains(.read(at: 0, count: 128)) == isRequest, "\(text)")
    }
  }

  /// The block with the name and the size of a file.
  private func header(_ name: UInt8, size: Int? = nil) -> [UInt8] {
    Block.encoded(
      FileHeader.encoded(TransferredFile(name: [name], size: size)), number: 0, check: .crc,
      padding: 0)
  }

  /// lrzsz takes the second of two requests as that for the file.
  @Test(arguments: [1, 60, 100_000])
  func aFileMayFollowItsHeaderImmediately(piece: Int) {
    let file = randomBytes(1_000)
    let stream =
      header(0x66, size: 1_000)
      + Block.encoded(file, number: 1, check: .crc, padding: BlockCharacter.sub)
    var receiver = BlockReceiver(.ymodemG)
    var actions = receiver.handle(.begun, at: .zero)
    for start in stride(from: 0, to: stream.count, by: piece) {
      let bytes = Array(stream[start..<min(start + piece, stream.count)])
      actions += receiver.handle(.received(bytes), at: .zero)
    }
    #expect(actions.last == .offer(TransferredFile(name: [0x66], size: 1_000)))
    actions = receiver.handle(.accepted(partialCount: 0), at: .zero)
    #expect(actions.contains(.write(file)))
  }

  /// lrzsz takes the answer to a header as that to EOT.
  @Test(arguments: [1, 60, 100_000])
  func aHeaderMayFollowTheEndOfAFileImmediately(piece: Int) {
    let file = randomBytes(100)
    let block = Block.encoded(file, number: 1, check: .crc, padding: BlockCharacter.sub)
    let stream =
      header(0x61, size: 100) + block + [BlockCharacter.eot]
      + header(0x62, size: 100) + block + [BlockCharacter.eot]
      + Block.encoded([], number: 0, check: .crc, padding: 0)
    var receiver = BlockReceiver(.ymodemG)
    var actions = receiver.handle(.begun, at: .zero)
    for start in stride(from: 0, to: stream.count, by: piece) {
      let bytes = Array(stream[start..<min(start + piece, stream.count)])
      var next = receiver.handle(.received(bytes), at: .zero)
      while case .offer? = next.last {
        actions += next
        next = receiver.handle(.accepted(partialCount: 0), at: .zero)
      }
      actions += next
    }
    #expect(actions.count { $0 == .write(file) } == 2)
    #expect(actions.count { $0 == .endFile(.complete) } == 2)
    #expect(actions.last == .finish(.done))
  }

  @Test func bytesBeforeTheStorageHasAcceptedAreLimited() {
    var receiver = BlockReceiver(.ymodemG)
    _ = receiver.handle(.begun, at: .zero)
    _ = receiver.handle(.received(header(0x66)), at: .zero)
    let early = [UInt8](repeating: 0, count: BlockReceiver.mostEarly)
    #expect(receiver.handle(.received(early), at: .zero) == [])
    #expect(receiver.handle(.received([0]), at: .zero).contains(.send(cancelSequence)))
  }

  @Test func aDamagedHeaderEndsATransferWithoutAcknowledgements() {
    var receiver = BlockReceiver(.ymodemG)
    _ = receiver.handle(.begun, at: .zero)
    var damaged = header(0x66, size: 1)
    damaged[10] ^= 1
    let actions = receiver.handle(.received(damaged), at: .zero)
    #expect(actions.contains(.send(cancelSequence)))
  }
}

/// The number of seeds of noise: the environment variable, or a small default.
let transferSeedCount = seedCountOfEnvironment() ?? 60
