import Testing
import TransferProtocols

@Suite struct TransferProtocolTests {
  @Test func eachNameIsThatOfOneProtocol() {
    #expect(Set(TransferProtocol.allCases.map(\.rawValue)).count == TransferProtocol.allCases.count)
    #expect(Set(TransferProtocol.allCases.map(\.title)).count == TransferProtocol.allCases.count)
    #expect(TransferProtocol(rawValue: "ymodem-g") == .ymodemG)
    #expect(TransferProtocol(rawValue: "kermit") == nil)
  }

  @Test func alternatives() {
    #expect(TransferProtocol.receiving.alternatives == "xmodem, ymodem, ymodem-g or zmodem")
    #expect([TransferProtocol.xmodem].alternatives == "xmodem")
    #expect([TransferProtocol]().alternatives == "")
    #expect(TransferProtocol.announced.titles == "ZMODEM")
    #expect([TransferProtocol.xmodem, .ymodem].titles == "XMODEM and YMODEM")
  }

  @Test func onlyPlainBytesNeedNoEightBits() {
    #expect(TransferProtocol.allCases.filter { !$0.needsEightBits } == [.raw, .ascii])
  }

  /// `ctrl-t X` and --auto-receive answer an announcement without a name for the file.
  @Test(arguments: TransferProtocol.announced)
  func whatAnnouncesItselfSendsNamesAndIsReceived(_ kind: TransferProtocol) {
    #expect(kind.sendsNames)
    #expect(kind.receiver != nil)
  }

  @Test(arguments: TransferProtocol.receiving)
  func theReceiverOfARecordUnderstandsItsSender(_ kind: TransferProtocol) throws {
    let receiver = try #require(kind.receiver)
    let bench = TransferBench(
      kind.sender(TransferConditions()), receiver(TransferConditions()),
      files: [BenchFile("a", [1, 2, 3])])
    bench.run()
    #expect(bench.receiver.received.map { Array($0.contents.prefix(3)) } == [[1, 2, 3]])
  }
}
