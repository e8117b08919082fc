import ModelContext
import Testing
import TextTools

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

  @Test(
    arguments: [
      (Array("plain text\r\nof\ttwo \"lines\"\r\n".utf8)), Array(UInt8.min...UInt8.max),
      Array("日本 \u{9b} \\ \r end".utf8), Array(repeating: 0x0A, count: 50),
    ] as [[UInt8]], [0, 1, 7, 40, 200, 100_000])
  func aTextIsCutWhereAnAnswerWithItIsTooLong(_ bytes: [UInt8], _ limit: Int) {
    let cut = bytes.withUnsafeBytes { DeviceText($0, fitting: limit) }
    let size = [JSON.string(cut.text), .string(cut.quoted)].reduce(0) {
      $0 + "\($1)".utf8.count - 2
    }
    let encoded = cut.isExact ? 0 : (cut.byteCount + 2) / 3 * 4
    #expect(size + encoded <= cut.answerSize + 2)
    #expect(cut.answerSize <= limit)
    #expect(cut.byteCount == bytes.count || cut.answerSize + 30 > limit)
    #expect(text(Array(bytes.prefix(cut.byteCount))).text.hasPrefix(cut.text.dropLast(2)))
  }

  @Test func noLineOfADeviceIsTakenForALineOfTheServer() {
    #expect(text(Array("ok\r\n\nend".utf8)).quoted == "| ok\n| \n| end")
    #expect(text(Array("ok\n".utf8)).quoted == "| ok")
    #expect(text(Array("s1 loopback: bytes 0 to 5\n".utf8)).quoted == "| s1 loopback: bytes 0 to 5")
  }
}
