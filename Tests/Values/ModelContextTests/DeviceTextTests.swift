import ModelContext
import Testing

@Suite struct DeviceTextTests {
  private func text(_ bytes: [UInt8]) -> DeviceText { bytes.withUnsafeBytes { DeviceText($0) } }

  @Test(arguments: ["", "a\tb\r\nü €\n", "\n\n", "日本 ~{|}"])
  func plainTextIsExactlyTheBytes(_ plain: String) {
    #expect(text(Array(plain.utf8)) == text(Array(plain.utf8)))
    #expect(text(Array(plain.utf8)).text == plain)
    #expect(text(Array(plain.utf8)).isExact)
  }

  @Test(
    arguments: [
      ([0x1B, 0x5B, 0x32, 0x4A], #"\x1b[2J"#), ([0x0D], #"\r"#), ([0x61, 0x0D, 0x62], #"a\rb"#),
      ([0x00, 0x7F, 0x07], #"\x00\x7f\x07"#), ([0x5C], #"\\"#), ([0xFF, 0xC3], #"\xff\xc3"#),
      ([0xC3, 0x41], #"\xc3A"#), ([0xE2, 0x80, 0xAE], #"\u{202e}"#),
      ([0xED, 0xA0, 0x80], #"\xed\xa0\x80"#), ([0xC0, 0xAF], #"\xc0\xaf"#),
      ([0xC2, 0x9B], #"\u{9b}"#), ([0xE2, 0x80, 0xA8], #"\u{2028}"#),
    ] as [([UInt8], String)])
  func whatIsNotShownAsItselfIsEscaped(_ bytes: [UInt8], _ expected: String) {
    #expect(text(bytes).text == expected)
    #expect(!text(bytes).isExact)
  }

  @Test func noLineOfADeviceIsTakenForALineOfTheServer() {
    #expect(text(Array("ok\r\n\nend".utf8)).quoted == "| ok\n| \n| end")
    #expect(text(Array("ok\n".utf8)).quoted == "| ok")
    #expect(text(Array("s1 loopback: bytes 0 to 5\n".utf8)).quoted == "| s1 loopback: bytes 0 to 5")
  }
}
