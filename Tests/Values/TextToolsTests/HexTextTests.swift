import Testing
import TextTools

@Suite struct HexTextTests {
  @Test(
    arguments: [
      ("01 03 00 6b", [0x01, 0x03, 0x00, 0x6B]), ("0103006b", [0x01, 0x03, 0x00, 0x6B]),
      ("0x01 0x03", [1, 3]), ("0X01,0xFf", [1, 0xFF]), ("0x0103006B", [1, 3, 0, 0x6B]),
      ("00:1a:2B", [0, 0x1A, 0x2B]), ("00-1a-2B", [0, 0x1A, 0x2B]), ("1;2", nil),
      ("01;02", [1, 2]), (" 01,  02 \t", [1, 2]), ("", []), (" ", []), ("00", [0]),
      ("0x00", [0]), ("0000x1", nil), ("ab cdef", [0xAB, 0xCD, 0xEF]),
    ] as [(String, [UInt8]?)])
  func bytes(_ text: String, _ expected: [UInt8]?) {
    #expect((try? HexText.parse(text)) == expected)
  }

  @Test(
    arguments: [
      ("01 0", 4, "a byte has two hexadecimal digits, here is only one"),
      ("123", 3, "a byte has two hexadecimal digits, here is only one"),
      ("01 3 00", 4, "a byte has two hexadecimal digits, here is only one"),
      ("01 0g", 5, "'g' is not a hexadecimal digit"), ("é", 1, "'é' is not a hexadecimal digit"),
      ("01\n02", 3, "U+000A is not a hexadecimal digit"),
      ("0x", 1, "no hexadecimal digits follow 0x"),
      ("01 0x 02", 4, "no hexadecimal digits follow 0x"),
      ("x01", 1, "'x' is not a hexadecimal digit"), ("0x0x01", 4, "'x' is not a hexadecimal digit"),
      ("1x01", 2, "'x' is not a hexadecimal digit"),
      ("010x02", 4, "'x' is not a hexadecimal digit"),
      ("\u{200B}", 1, "U+200B is not a hexadecimal digit"),
      ("0x1", 3, "a byte has two hexadecimal digits, here is only one"),
      ("٣٣", 1, "'٣' is not a hexadecimal digit"),
    ])
  func mistakes(_ text: String, _ column: Int, _ words: String) throws {
    let error = try #require(throws: HexTextError.self) { try HexText.parse(text) }
    #expect(error.column == column)
    #expect("\(error)" == "column \(column): \(words)")
  }

  @Test func digitsAreReadBack() throws {
    let all = Array(UInt8.min...UInt8.max)
    let text = all.withUnsafeBytes(HexText.digits(of:))
    #expect(text.count == 512 && text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
    #expect(try HexText.parse(text) == all)
  }
}
