import Testing
import TransferProtocols

@Suite struct OfferDetectorTests {
  private func offer(_ pieces: [(String, Double)]) -> DeviceOffer? {
    var detector = OfferDetector()
    for (text, time) in pieces {
      Array(text.unicodeScalars.map { UInt8($0.value) })
        .withUnsafeBytes { detector.receive($0, at: .seconds(time)) }
    }
    return detector.offer
  }

  private let sends = "**\u{18}B00000000000000\r\u{8A}\u{11}"
  private let waits = "**\u{18}B0100000023be50\r\u{8A}\u{11}"

  @Test func zmodem() {
    #expect(offer([("rz\r" + sends, 0)]) == .sends(.zmodem))
    #expect(offer([("rz waiting to receive." + waits, 0)]) == .requests(.zmodem))
  }

  @Test func inPieces() {
    let whole = Array("log\r\n$ sz boot.bin\r\nrz\r" + sends).map { (String($0), 0.0) }
    #expect(offer(whole) == .sends(.zmodem))
    for cut in 1..<sends.count {
      let pieces = [(String(sends.prefix(cut)), 0.0), (String(sends.dropFirst(cut)), 0.1)]
      #expect(offer(pieces) == .sends(.zmodem), "cut after \(cut)")
    }
  }

  @Test func whatOnlyLooksLikeIt() {
    #expect(offer([("**\u{18}B00", 0)]) == nil)
    #expect(offer([("**\u{18}B00000000000001\r\n", 0)]) == nil)
    #expect(offer([("**B00000000000000\r\n", 0)]) == nil)
    // A header of another type: ZFIN.
    #expect(offer([("**\u{18}B0800000000022d\r\n", 0)]) == nil)
    #expect(offer([(String(repeating: "*", count: 4_000), 0)]) == nil)
  }

  @Test func textAfterwardsEndsIt() {
    #expect(offer([(sends + "$ ", 0)]) == nil)
    #expect(offer([(sends, 0), ("$ ", 1)]) == nil)
    #expect(offer([(sends, 0), ("text", 1), (sends, 2)]) == .sends(.zmodem))
  }

  @Test func blocks() {
    #expect(offer([("Ready\r\n", 0), ("C", 1), ("C", 3)]) == .requests(.ymodem))
    #expect(offer([("\u{15}", 1), ("\u{15}", 11)]) == .requests(.xmodem))
    #expect(offer([("G", 1), ("G", 4)]) == .requests(.ymodemG))
    #expect(offer([("C", 1)]) == nil)
    #expect(offer([("C", 1), ("C", 1.2)]) == nil)
    #expect(offer([("C", 1), ("C", 3), ("done", 4)]) == nil)
    #expect(offer([("C", 1), ("G", 3)]) == nil)
    #expect(offer([("ABC", 1), ("C", 3)]) == nil)
  }

  @Test func resetting() {
    var detector = OfferDetector()
    Array(sends.unicodeScalars.map { UInt8($0.value) })
      .withUnsafeBytes { detector.receive($0, at: .zero) }
    detector.reset()
    #expect(detector.offer == nil)
  }
}
