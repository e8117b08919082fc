import Testing

@testable import TransferProtocols

/// The sender alone, with all its events from the test.
@Suite struct BlockSenderTests {
  private var sender = BlockSender(.xmodem)
  private var now = Duration.seconds(100)

  private mutating func handle(_ event: TransferEvent) -> [TransferAction] {
    sender.handle(event, at: now)
  }

  /// Sends the first block, which the driver has not taken yet.
  private mutating func begin() -> [TransferAction] {
    #expect(handle(.begun) == [.nextFile])
    _ = handle(.file(TransferredFile(name: [0x61], size: 1_000)))
    _ = handle(.received([BlockCharacter.c]))
    now += BlockSender.requestSilence
    #expect(handle(.woken).contains(.read(at: 0, count: 128)))
    return handle(.read([UInt8](repeating: 7, count: 128)))
  }

  private func wake(in actions: [TransferAction]) -> Duration? {
    actions.reversed().lazy.compactMap { if case .wake(let time) = $0 { time } else { nil } }.first
  }

  private func sent(in actions: [TransferAction]) -> [UInt8] {
    actions.reduce(into: []) { if case .send(let bytes) = $1 { $0 += bytes } }
  }

  @Test mutating func aSecondAnswerInOnePiece_isOld() {
    #expect(sent(in: begin()).count == 133)
    _ = handle(.sent(133))
    now += .milliseconds(50)
    let actions = handle(.received([BlockCharacter.ack, BlockCharacter.ack, BlockCharacter.nak]))
    #expect(actions.count { if case .read = $0 { true } else { false } } == 1)
    #expect(sent(in: actions).isEmpty)
    let next = sent(in: handle(.read([UInt8](repeating: 8, count: 128))))
    #expect(next.dropFirst().first == 2)
  }

  @Test mutating func aDeviceThatHoldsTheLine_endsIt() throws {
    let limit = try #require(wake(in: begin()))
    #expect(limit - now <= .seconds(60))
    now = limit
    #expect(sent(in: handle(.woken)) == cancelSequence)
  }

  @Test mutating func stoppingDoesNotWaitForADeviceThatHoldsTheLine() throws {
    _ = begin()
    let limit = try #require(wake(in: handle(.stopped)))
    #expect(limit - now <= .milliseconds(1_100))
    now = limit
    let actions = handle(.woken)
    #expect(actions.contains(.withdraw))
    #expect(sent(in: actions) == cancelSequence)
  }

  @Test mutating func aFileThatCannotBeRead_doesNotWaitEither() throws {
    _ = begin()
    let limit = try #require(wake(in: handle(.storageFailed)))
    now = limit
    #expect(sent(in: handle(.woken)) == cancelSequence)
  }

  @Test mutating func aSingleCANIsNoise() {
    _ = begin()
    _ = handle(.sent(133))
    now += .milliseconds(50)
    #expect(handle(.received([BlockCharacter.can])).isEmpty)
    let actions = handle(.received([BlockCharacter.ack]))
    #expect(actions.contains { if case .read = $0 { true } else { false } })
    _ = handle(.received([BlockCharacter.can, BlockCharacter.can]))
    now += .seconds(1)
    #expect(handle(.woken).last == .finish(.failed(.cancelled)))
  }
}
