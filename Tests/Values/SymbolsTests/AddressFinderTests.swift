import Symbols
import Testing

@Suite struct AddressFinderTests {
  @Test(
    arguments: [
      // ESP-IDF
      ("PC      : 0x400d1234  PS      : 0x00060330  A0      : 0x800d5678", [0x400D_1234]),
      ("Backtrace: 0x400d1234:0x3ffb1f00 0x400d5678:0x3ffb1f20", [0x400D_1234, 0x400D_5678]),
      ("MEPC    : 0x400d0f02  RA      : 0x400d0f02", [0x400D_0F02]),
      // Zephyr
      ("E: r15/pc:  0x400d1234", [0x400D_1234]),
      ("E:      a0: 400d0010    t0: 400d0020", [0x400D_0010, 0x400D_0020]),
      ("E:    mepc: 400d1234", [0x400D_1234]),
      ("E:      ra: 00000000400d1234", [0x400D_1234]),
      ("PC=400D1234 LR = 400d1238", [0x400D_1234, 0x400D_1238]),
      // 64 bits, and without leading zeros
      ("0x00000000400d1234", [0x400D_1234]),
      ("   4: 0X400d1234 - main", [0x400D_1234]),
      // No addresses
      ("400d1234 400d5678", []),
      ("400d0000: 400d1234", []),
      ("00000010: 400d1234", []),
      ("x0x400d1234 0x400d1234z 0x400d1", []),
      ("0x00000000000400d1234", []),
      ("serial number: 400d12345", []),
      ("", []), ("0x", []), ("0", []), (":", []), ("=400d1234", []),
    ] as [(String, [UInt64])])
  func addresses(_ line: String, _ expected: [UInt64]) {
    #expect(found(line) == expected)
  }

  @Test func eachAddressOnce() {
    #expect(found("0x400d0000 0x400d0004 0x400D0000 0x400d0004") == [0x400D_0000, 0x400D_0004])
  }

  @Test func tenThousandAddressesAreBounded() {
    let line = (0..<10_000).map { "0x\(String(0x400D_0000 + $0, radix: 16))" }.joined(
      separator: " ")
    var questions = 0
    let addresses = AddressFinder().addresses(in: Array(line.utf8)) { _ in
      questions += 1
      return true
    }
    #expect(addresses == (0..<64).map { 0x400D_0000 + $0 })
    #expect(questions == 64)
  }

  @Test func lineIsSearchedUpToALimit() {
    let start = String(repeating: " ", count: AddressFinder.maximumLength - 10)
    #expect(found(start + "0x400d1234") == [0x400D_1234])
    // A part of an address is another address.
    #expect(found(start + "0x400d123456") == [])
    #expect(found(start + " 0x400d1234") == [])
  }

  @Test func noise() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let line = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(AddressFinder().addresses(in: line) { _ in true }.count <= 64)
    }
  }

  private func found(_ line: String) -> [UInt64] {
    AddressFinder().addresses(in: Array(line.utf8)) { (0x400D_0000..<0x400E_0000).contains($0) }
  }
}
