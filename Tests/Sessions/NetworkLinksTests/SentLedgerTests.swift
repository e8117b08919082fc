import Testing

@testable import NetworkLinks

@Suite(.timeLimit(.minutes(30))) struct SentLedgerTests {
  @Test func unacknowledgedBytes_areCountedAsData() {
    var ledger = SentLedger()
    // 10 bytes of which 5 are doubled, the answer of a protocol, and 100 bytes.
    ledger.add(dataCount: 10, encodedCount: 15, unacknowledged: 0)
    ledger.add(dataCount: 0, encodedCount: 7, unacknowledged: 15)
    ledger.add(dataCount: 100, encodedCount: 100, unacknowledged: 22)
    #expect(ledger.dataCount(ofUnacknowledged: 122) == 110)
    #expect(ledger.dataCount(ofUnacknowledged: 107) == 100)
    #expect(ledger.dataCount(ofUnacknowledged: 103) == 100)
    #expect(ledger.dataCount(ofUnacknowledged: 40) == 40)
    #expect(ledger.dataCount(ofUnacknowledged: 0) == 0)
  }

  @Test func aLongSession_keepsLittle() {
    var ledger = SentLedger()
    for _ in 0..<10_000 { ledger.add(dataCount: 1, encodedCount: 1, unacknowledged: 3) }
    #expect(ledger.dataCount(ofUnacknowledged: 4) == 4)
    #expect(ledger.noteCount < 200)
  }

  @Test func `Any number of answers without data between them is one entry`() {
    var ledger = SentLedger()
    ledger.add(dataCount: 10, encodedCount: 10, unacknowledged: 0)
    for count in 0..<10_000 {
      ledger.add(dataCount: 0, encodedCount: 7, unacknowledged: 10 + 7 * count)
    }
    #expect(ledger.noteCount == 2)
    #expect(ledger.dataCount(ofUnacknowledged: 70_010) == 10)
    #expect(ledger.dataCount(ofUnacknowledged: 70_005) == 5)
  }
}
