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
      // NuttX
      ("R8: 400d1234 20000a98  400d1238 12345", [0x400D_1234, 0x400D_1238]),
      ("up_registerdump: IP: 00000001 LR: 400d1234  PC: 400d1238", [0x400D_1234, 0x400D_1238]),
      ("[ 1.5] stack_dump: 0x3ffb7b70: d0cf5901 400d1234 400d1238", [0x400D_1234, 0x400D_1238]),
      ("up_stackdump: 3ffb7b70: 400d1234", [0x400D_1234]),
      // U-Boot
      ("pc : [<400d1234>]  lr : [<400d1238>]", [0x400D_1234, 0x400D_1238]),
      // 64 bits, and without leading zeros
      ("0x00000000400d1234", [0x400D_1234]),
      ("   4: 0X400d1234 - main", [0x400D_1234]),
      // No addresses
      ("400d1234 400d5678", []),
      ("400d0000: 400d1234", []),
      ("00000010: 400d1234", []),
      ("3fffff70:  400d1234 400d1238", []),
      ("a0: 400d123 400d1234", []), ("a0: 00000000, 400d1234", []), ("[<400d1234>]", []),
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
    var finder = AddressFinder()
    let addresses = finder.addresses(in: Array(line.utf8)) { _ in
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
    var finder = AddressFinder()
    for _ in 0..<200 {
      let line = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(finder.addresses(in: line) { _ in true }.count <= 64)
    }
  }

  private func found(_ line: String) -> [UInt64] {
    var finder = AddressFinder()
    return finder.found(line)
  }
}

@Suite struct StackDumpTests {
  private let row = "3fffff70:  3fffdad0 00000000 400d1234 400d1238  "

  @Test func wordsOfAnESP8266AreAddresses() {
    var finder = AddressFinder()
    let dump = """
      Exception (28):
      epc1=0x400d0010 epc2=0x00000000 epc3=0x00000000 excvaddr=0x00000000 depc=0x00000000
      3fffff60:  400d0000

      >>>stack>>>

      ctx: cont
      sp: 3ffffde0 end: 3fffffc0 offset: 0190
      3fffff70:  3fffdad0 00000000 3ffee4c8 400d1234
      12:00:01.250 > 3fffff80:  400d1238 40001234 3ffee4f8 400d1238 <
      3fffff90: 400D1240	400d1244 | 400d1248
      3fffffa0: word 400d1234
      400d1234 400d1238
      <<<stack<<<
      3fffff70:  400d1234
      """
    let found = dump.split(separator: "\n").map { finder.found(String($0)) }
    #expect(
      found.filter { !$0.isEmpty } == [
        [0x400D_0010], [0x400D_1234], [0x400D_1238], [0x400D_1240, 0x400D_1244],
      ])
  }

  @Test(arguments: [
    (">>>stack>>>", true), ("12:00:01.250 > >>>stack>>>", true), (">>>STACK>>>", true),
    ("Stack dump:", true), ("12:00:01.250 > Stack dump: ", true), ("User stack_dump:", true),
    ("[ 1.5] stack_dump: 0x3ffb7b70: d0cf5901", true), ("up_stackdump: 3ffb7b70: 12", true),
    ("stack_dump:\t0x00000000a0000010:", true), ("stackdump: 20000a98", true),
    ("No stack dump available", false), ("No stack dump", false), ("stack dump", false),
    ("stack dump: disabled", false), ("stack dump: added to the log", false),
    ("stack dump: 12 words", false), ("stack dump: 00000000000000000", false),
    ("To decode the stack dump call from command line:", false), ("stackdumps:", false),
    ("<<<stack<<<", false), ("stack overflow", false), ("TCP/IP stack", false), ("dump", false),
    ("stack", false), (">>>stac", false), ("stack  dump", false),
  ])
  func aDumpBeginsWith(_ line: String, _ begins: Bool) {
    var finder = AddressFinder()
    _ = finder.found(line)
    #expect(finder.found(row) == (begins ? [0x400D_1234, 0x400D_1238] : []))
  }

  @Test func aDumpWithoutEndEnds() {
    for (lines, expected) in [(4, false), (3, true)] {
      var finder = AddressFinder()
      _ = finder.found(">>>stack>>>")
      for _ in 0..<3 { _ = finder.found("crc: 12345678") }
      #expect(!finder.found(row).isEmpty)
      for _ in 0..<lines { _ = finder.found("crc: 12345678") }
      #expect(finder.found(row).isEmpty == !expected)
    }
    var finder = AddressFinder()
    _ = finder.found(">>>stack>>>")
    for _ in 0..<AddressFinder.mostRows { #expect(!finder.found(row).isEmpty) }
    #expect(finder.found(row).isEmpty)
    _ = finder.found(">>>stack>>>")
    #expect(!finder.found(row).isEmpty)
  }

  @Test func aPartOfALineChangesNothing() {
    var finder = AddressFinder()
    _ = finder.found(">>>stack>>>", isWhole: false)
    #expect(finder.found(row).isEmpty)
    _ = finder.found(">>>stack>>>")
    for _ in 0..<9 { _ = finder.found("<<<stack<<<", isWhole: false) }
    #expect(finder.found(row, isWhole: false) == [0x400D_1234, 0x400D_1238])
  }

  @Test func aBacktraceInADumpIsNoRow() {
    var finder = AddressFinder()
    _ = finder.found("Stack dump:")
    #expect(
      finder.found("Backtrace: 0x400d1234:0x3ffb1f00 0x400d5678:0x3ffb1f20")
        == [0x400D_1234, 0x400D_5678])
  }
}

extension AddressFinder {
  fileprivate mutating func found(_ line: String, isWhole: Bool = true) -> [UInt64] {
    addresses(in: Array(line.utf8), isWhole: isWhole) {
      (0x400D_0000..<0x400E_0000).contains($0)
    }
  }
}
