import Testing

@testable import TransferProtocols

/// ZMODEM's sender and receiver, connected by a line.
@Suite struct ZmodemTests {
  /// Contents that have broken implementations.
  enum Contents: CaseIterable {
    case random, allValues, ones, escapes, substitutes, text, header

    func bytes(_ count: Int) -> [UInt8] {
      func repeated(_ pattern: [UInt8]) -> [UInt8] {
        (0..<count).map { pattern[$0 % pattern.count] }
      }
      return switch self {
      case .random: randomBytes(count)
      case .allValues: (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      case .ones: repeated([0xFF])
      case .escapes: repeated([0x18])
      case .substitutes: repeated([0x1A])
      case .text: repeated(Array("The quick brown fox.\r\n@\r@\u{8D}~".utf8))
      case .header: repeated(Array("**\u{18}B0100000023be50\r\n\u{11}*\u{18}C".utf8))
      }
    }
  }

  static func bench(
    _ files: [BenchFile], rate: Int = 11_520, window: Int? = nil,
    escapesControls: (sender: Bool, receiver: Bool) = (false, false)
  ) -> TransferBench {
    var conditions = TransferConditions(bytesPerSecond: rate)
    conditions.escapesControls = escapesControls.sender
    let sender = ZmodemSender(conditions: conditions, window: window)
    conditions.escapesControls = escapesControls.receiver
    let bench = TransferBench(sender, ZmodemReceiver(conditions: conditions), files: files)
    bench.bytesPerSecond = rate
    if rate > 100_000 { bench.piece = 4_096 }
    return bench
  }

  /// Expects that all files arrived, and that both sides know it.
  static func expectSuccess(
    _ bench: TransferBench, _ contents: [[UInt8]],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(bench.sender.end == .done, sourceLocation: sourceLocation)
    #expect(bench.receiver.end == .done, sourceLocation: sourceLocation)
    #expect(
      bench.receiver.received.map(\.end) == contents.map { _ in .complete },
      sourceLocation: sourceLocation)
    #expect(
      bench.receiver.received.map(\.contents) == contents, "wrong contents",
      sourceLocation: sourceLocation)
    #expect(
      bench.sender.fileEnds == contents.map { _ in .complete }, sourceLocation: sourceLocation)
  }

  @Test(
    arguments: Contents.allCases, [0, 1, 127, 128, 129, 1_023, 1_024, 1_025, 65_537, 200_000])
  func everySizeAndContents(_ contents: Contents, _ size: Int) {
    let bytes = contents.bytes(size)
    let bench = Self.bench([BenchFile("a.bin", bytes)], rate: size > 2_000 ? 1_000_000 : 11_520)
    bench.run()
    Self.expectSuccess(bench, [bytes])
    #expect(bench.receiver.progress.position == size)
    #expect(bench.sender.progress.position == size)
    #expect(bench.sender.progress.retries == 0 && bench.receiver.progress.retries == 0)
  }

  // MARK: Files

  @Test func severalFilesWithAnyNames() {
    let names = ["plain.bin", "with spaces and 100%", "ümlaut–日本.txt", "-rf", "empty"]
    let contents = [3_000, 1, 5_000, 128, 0].map { randomBytes($0, seed: UInt64($0)) }
    let bench = Self.bench(zip(names, contents).map { BenchFile($0, $1) })
    bench.run()
    Self.expectSuccess(bench, contents)
    #expect(bench.receiver.received.map(\.info.name) == names.map { Array($0.utf8) })
    #expect(bench.receiver.received.allSatisfy { $0.info.modificationTime == 1_700_000_000 })
    #expect(bench.receiver.received.allSatisfy { $0.info.mode == 0o100644 })
    #expect(bench.receiver.received.map(\.info.size) == contents.map(\.count))
  }

  @Test func noFiles() {
    let bench = Self.bench([])
    bench.run()
    Self.expectSuccess(bench, [])
  }

  @Test func aDeclinedFileIsSkipped() {
    let contents = [randomBytes(3_000), randomBytes(4_000), randomBytes(500)]
    let bench = Self.bench(["a", "b", "c"].enumerated().map { BenchFile($1, contents[$0]) })
    bench.receiver.declined = [Array("b".utf8)]
    bench.run()
    #expect(bench.sender.end == .done && bench.receiver.end == .done)
    #expect(bench.sender.fileEnds == [.complete, .skipped, .complete])
    #expect(bench.receiver.received.map(\.contents) == [contents[0], contents[2]])
  }

  @Test(arguments: [1, 1_024, 40_000, 65_536])
  func aPartIsContinued(_ partCount: Int) {
    let bytes = randomBytes(65_536)
    let bench = Self.bench([BenchFile("a", bytes)])
    bench.receiver.partials[Array("a".utf8)] = Array(bytes.prefix(partCount))
    bench.run()
    Self.expectSuccess(bench, [bytes])
    #expect(bench.receiver.remarks == [.resumed(at: partCount)])
    #expect(bench.sender.remarks == [.resumed(at: partCount)])
    #expect(bench.elapsed < .seconds(1) * (65_536 - partCount) / 11_000 + .seconds(1))
  }

  @Test func aWrongPartIsReplaced() {
    let bytes = randomBytes(20_000)
    for part in [Array(randomBytes(10_000, seed: 9)), bytes + [0], [UInt8](bytes.dropFirst())] {
      let bench = Self.bench([BenchFile("a", bytes)])
      bench.receiver.partials[Array("a".utf8)] = part
      bench.run()
      Self.expectSuccess(bench, [bytes])
      #expect(bench.receiver.remarks.isEmpty)
    }
  }

  @Test func aFileThatShrinks() {
    let bytes = randomBytes(20_000)
    let file = BenchFile("a", size: 30_000) { Array(bytes[$0.clamped(to: 0..<20_000)]) }
    let bench = Self.bench([file])
    bench.run()
    #expect(bench.sender.end == .failed(.tooShort))
    #expect(bench.receiver.end == .failed(.tooShort))
    #expect(bench.receiver.received.map(\.contents) == [bytes])
    #expect(bench.receiver.received[0].end == nil)
  }

  @Test func aFileThatIsTooLargeToNumberIsRefused() {
    let bench = Self.bench([BenchFile("a", size: 1 << 32) { _ in [] }])
    bench.run()
    #expect(bench.sender.end == .failed(.tooLarge))
    #expect(bench.receiver.end == .failed(.cancelled))
  }

  @Test func aFileAboveTheLimitIsRefused() {
    var conditions = TransferConditions()
    conditions.largestFile = 999
    let bench = TransferBench(
      ZmodemSender(conditions: conditions), ZmodemReceiver(conditions: conditions),
      files: [BenchFile("a", randomBytes(1_000))])
    bench.run()
    #expect(bench.receiver.end == .failed(.tooLarge))
    #expect(bench.sender.end == .failed(.cancelled))
    #expect(bench.receiver.received.isEmpty)
  }

  /// The largest file that ZMODEM supports. All but the last MiB exists already, and its CRC-32
  /// is not computed.
  @Test func theEndOfTheLargestFile() {
    let size = Int(UInt32.max)
    let start = size - (1 << 20) - 7
    let content = { (offset: Int) in UInt8(truncatingIfNeeded: (offset &* 0x9E37_79B9) >> 13) }
    var sender = ZmodemSender(conditions: TransferConditions())
    var receiver = ZmodemReceiver(conditions: TransferConditions())
    var events: [(event: TransferEvent, toSender: Bool)] = [(.begun, true), (.begun, false)]
    var (position, largestQueue, files) = (0, 0, 1)
    var ends: [TransferEnd] = []
    var isRight = true
    while let (event, toSender) = events.first, ends.count < 2 {
      events.removeFirst()
      let actions =
        toSender ? sender.handle(event, at: .zero) : receiver.handle(event, at: .zero)
      for action in actions {
        switch action {
        case .send(let bytes) where bytes == ZmodemEncoder.hex(ZmodemHeader(.zcrc, start)):
          events.append((.received(ZmodemEncoder.hex(ZmodemHeader(.zcrc, 7))), false))
        case .send(let bytes):
          largestQueue = max(largestQueue, bytes.count)
          events.append((.received(bytes), !toSender))
          events.append((.sent(bytes.count), toSender))
        case .awaitRoom: events.append((.room, true))
        case .nextFile:
          events.append(
            (.file(files == 1 ? TransferredFile(name: [0x61], size: size) : nil), true))
          files -= 1
        case .read(let offset, let count):
          events.append((.read((offset..<min(offset + count, size)).map(content)), true))
        case .offer: events.append((.accepted(partialCount: start), false))
        case .checksum: events.append((.checksum(7), false))
        case .resume(let offset): position = offset
        case .write(let bytes):
          isRight = isRight && bytes == (position..<(position + bytes.count)).map(content)
          position += bytes.count
        case .finish(let end): ends.append(end)
        default: break
        }
      }
    }
    #expect(ends == [.done, .done])
    #expect(position == size)
    #expect(isRight)
    #expect(largestQueue < 40_000)
  }

  // MARK: Kinds of receivers and lines

  /// A fault that changes the receiver's ZRINIT.
  static func announcing(flags: UInt8, buffer: Int = 0) -> ([UInt8], Bool) -> [UInt8] {
    { bytes, fromSender in
      guard !fromSender, bytes.starts(with: Array("**\u{18}B01".utf8)) else { return bytes }
      var header = ZmodemHeader(.zrinit, flags: flags)
      header.word |= UInt32(buffer)
      return ZmodemEncoder.hex(header)
    }
  }

  @Test(arguments: [
    (0x03, 0), (0x23, 1_024), (0x03, 3_000), (0x20, 0), (0x00, 0), (0x23, 5), (0x23, 65_535),
    (0x63, 0),
  ])
  func receiversThatCanDoLess(_ flags: UInt8, _ buffer: Int) {
    let contents = [randomBytes(30_000), randomBytes(700), []]
    let bench = Self.bench(contents.enumerated().map { BenchFile("\($0)", $1) })
    bench.fault = Self.announcing(flags: flags, buffer: buffer)
    bench.receiver.keepsArrived = true
    bench.run()
    Self.expectSuccess(bench, contents)
    #expect(bench.sender.progress.retries == 0)
    // Without CANFC32, no header has a CRC-32.
    let has32 = bench.receiver.arrived.indices.contains {
      bench.receiver.arrived[$0...].starts(with: [0x2A, 0x18, 0x43])
    }
    #expect(has32 == (flags & 0x20 != 0))
  }

  @Test(arguments: [256, 1_000, 4_096, 100_000])
  func aWindow(_ window: Int) {
    let bytes = randomBytes(50_000)
    let bench = Self.bench([BenchFile("a", bytes)], window: window)
    bench.run()
    Self.expectSuccess(bench, [bytes])
    #expect(bench.sender.progress.retries == 0)
    #expect(bench.sender.largestQueue <= window * 2 + 200)
  }

  @Test(arguments: [(true, false), (false, true), (true, true)])
  func controlCharactersAreEscaped(_ sender: Bool, _ receiver: Bool) {
    let contents = [(0..<5_000).map { UInt8(truncatingIfNeeded: $0) }, randomBytes(5_000)]
    let bench = Self.bench(
      contents.enumerated().map { BenchFile("\($0)\u{1}", $1) }, escapesControls: (sender, receiver)
    )
    bench.receiver.keepsArrived = true
    bench.run()
    Self.expectSuccess(bench, contents)
    // Hex headers end with CR, LF and XON.
    let controls = Set(bench.receiver.arrived.filter { $0 & 0x60 == 0 })
    #expect(controls == [0x18, 0x0D, 0x0A, 0x11])
  }

  @Test func xonAndXoffOfTheLineAreIgnored() {
    let bytes = randomBytes(5_000)
    let bench = Self.bench([BenchFile("a", bytes)])
    bench.fault = { bytes, _ in bytes.flatMap { [0x13, $0, 0x91, 0x11] } }
    bench.run()
    Self.expectSuccess(bench, [bytes])
    #expect(bench.sender.progress.retries == 0)
  }

  @Test func bytesArriveOneByOne() {
    let contents = [randomBytes(3_000), Contents.header.bytes(3_000)]
    let bench = Self.bench(contents.enumerated().map { BenchFile("\($0)", $1) })
    bench.piece = 1
    bench.run()
    Self.expectSuccess(bench, contents)
    #expect(bench.sender.progress.retries == 0 && bench.receiver.progress.retries == 0)
  }

  @Test(arguments: [0, 1, 30, 500])
  func efficiency(_ latency: Int) {
    let bytes = randomBytes(200_000)
    let bench = Self.bench([BenchFile("a", bytes)])
    bench.latency = .milliseconds(latency) + .microseconds(500)
    bench.run()
    Self.expectSuccess(bench, [bytes])
    // The time that does not depend on the length: ten turns of the line, and the headers.
    let fixed = bench.latency * 10 + .milliseconds(30)
    let efficiency = Duration.seconds(1) * bytes.count / 11_520 / (bench.elapsed - fixed)
    #expect(efficiency >= 0.955)
  }

  @Test func efficiencyWithEverything() {
    let bytes = randomBytes(1 << 20)
    let bench = Self.bench([BenchFile("a", bytes)])
    bench.run()
    Self.expectSuccess(bench, [bytes])
    #expect(Duration.seconds(1) * bytes.count / 11_520 / bench.elapsed >= 0.955)
  }

  // MARK: Beginnings and ends

  @Test func textBeforeTheFirstHeader() {
    let bytes = randomBytes(3_000)
    for junk in [
      "login: \r\n$ rz\r\nrz waiting to receive.", "**", "*\u{18}", "**\u{18}B01",
      "**\u{18}B0100000063f69",
      "*\u{18}C\u{18}", "\u{18}\u{18}\u{18}\u{18}", "rz\r**\u{18}B00000000000000\r\n\u{11}",
    ] {
      for toSender in [true, false] {
        let bench = Self.bench([BenchFile("a", bytes)])
        bench.at(.milliseconds(1)) { [unowned bench] in
          bench.inject(Array(junk.utf8), to: toSender ? bench.sender : bench.receiver)
        }
        bench.run()
        Self.expectSuccess(bench, [bytes])
        #expect(bench.elapsed < .seconds(6), "\(junk.debugDescription)")
      }
    }
  }

  @Test func textBeforeTheFirstHeaderIsPassedOn() {
    let text = "sh: rz: not found\r\n* $ "
    for toSender in [true, false] {
      let bench = Self.bench([BenchFile("a", randomBytes(3_000))])
      let side = toSender ? bench.sender : bench.receiver
      bench.at(.milliseconds(1)) { [unowned bench] in
        bench.inject(Array((text + "rz\r").utf8), to: side)
      }
      bench.run(
        senderBegins: toSender ? .zero : .seconds(1), receiverBegins: toSender ? .seconds(1) : .zero
      )
      #expect(bench.sender.end == .done && bench.receiver.end == .done)
      #expect(String(decoding: side.passed, as: UTF8.self) == text)
    }
  }

  @Test func theShellIsToldToStartTheReceiver() {
    var sender = ZmodemSender(conditions: TransferConditions(), startsReceiver: true)
    let actions = sender.handle(.begun, at: .zero)
    #expect(
      actions.prefix(2) == [
        .send(Array("rz\r".utf8)), .send(Array("**\u{18}B00000000000000\r\n\u{11}".utf8)),
      ])
  }

  @Test func eitherSideMayBeginAMinuteLate() {
    let bytes = randomBytes(3_000)
    for (sender, receiver) in [(0, 60), (60, 0)] {
      let bench = Self.bench([BenchFile("a", bytes)])
      bench.run(senderBegins: .seconds(sender), receiverBegins: .seconds(receiver))
      Self.expectSuccess(bench, [bytes])
      #expect(bench.elapsed < .seconds(62))
    }
  }

  @Test func nobodyAnswers() {
    for isSender in [true, false] {
      let bench = Self.bench([BenchFile("a", [1])])
      bench.run(senderBegins: isSender ? .zero : nil, receiverBegins: isSender ? nil : .zero)
      #expect((isSender ? bench.sender : bench.receiver).end == .failed(.noAnswer))
      #expect(bench.elapsed >= .seconds(100) && bench.elapsed < .seconds(102))
    }
  }

  @Test func theLastCharactersAreNotNeeded() {
    let bytes = randomBytes(3_000)
    let bench = Self.bench([BenchFile("a", bytes)])
    bench.fault = { bytes, fromSender in fromSender && bytes == Array("OO".utf8) ? [] : bytes }
    bench.run()
    Self.expectSuccess(bench, [bytes])
    #expect(bench.elapsed < .seconds(3))
  }

  @Test func bytesAfterTheLastCharactersArePassedOn() {
    let bench = Self.bench([])
    bench.fault = { bytes, fromSender in
      fromSender && bytes == Array("OO".utf8) ? bytes + Array("\r\n$ ".utf8) : bytes
    }
    bench.run()
    Self.expectSuccess(bench, [])
    #expect(bench.receiver.passed == Array("\r\n$ ".utf8))
  }
}
