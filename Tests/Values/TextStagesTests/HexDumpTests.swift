import Testing
import TextStages

@Suite(.timeLimit(.minutes(30))) struct HexDumpTests {
  private static func dump(_ bytes: [UInt8]) -> String {
    String(decoding: HexDump().fed([bytes]), as: UTF8.self)
  }

  /// The rows of `hexdump -C`, except for the line end.
  @Test(arguments: [
    (0, ""),
    (1, "00000000  00                                                |.|\r\n"),
    (8, "00000000  00 01 02 03 04 05 06 07                           |........|\r\n"),
    (9, "00000000  00 01 02 03 04 05 06 07  08                       |.........|\r\n"),
    (16, "00000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  |................|\r\n"),
  ])
  func row_isLaidOutAsHexdumpDoes(count: UInt8, text: String) {
    #expect(Self.dump(Array(0..<count)) == text)
  }

  @Test func textColumn_showsPrintableASCII_andDotsElsewhere() {
    #expect(
      Self.dump([0x1F, 0x20, 0x41, 0x7E, 0x7F, 0x80, 0xFF])
        == "00000000  1f 20 41 7e 7f 80 ff                              |. A~...|\r\n")
  }

  @Test func everyCut_givesTheSameRows() {
    let bytes = Array("A stream that is longer than two rows!!\r\n".utf8)
    let whole = HexDump().fed([bytes])
    #expect(whole.count { $0 == 0x0A } == 3)
    for pieces in cuts(of: bytes) { #expect(HexDump().fed(pieces) == whole) }
  }

  @Test func row_isHeldBackUntilItIsFullOrEnded_andOffsetsGoOn() {
    var dump = HexDump()
    #expect(dump.feed("12345") == "")
    var output: [UInt8] = []
    dump.endRow(into: &output)
    dump.endRow(into: &output)
    #expect(
      String(decoding: output, as: UTF8.self)
        == "00000000  31 32 33 34 35                                    |12345|\r\n")
    #expect(
      dump.feed("0123456789abcdefg")
        == "00000005  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\r\n")
  }

  @Test func changeOfDirection_endsTheRow_andEachDirectionCountsItsOwnBytes() {
    var dump = HexDump(marksDirection: true)
    var output: [UInt8] = []
    for (text, direction) in [
      ("AT", Direction.toDevice), ("\r", .toDevice), ("OK", .fromDevice), ("", .toDevice),
      ("\r\n", .fromDevice), ("A", .toDevice),
    ] {
      Array(text.utf8).withUnsafeBytes { dump.show($0, direction, at: .any, into: &output) }
    }
    dump.endRow(into: &output)
    #expect(
      String(decoding: output, as: UTF8.self) == """
        > 00000000  41 54 0d                                          |AT.|\r
        < 00000000  4f 4b 0d 0a                                       |OK..|\r
        > 00000003  41                                                |A|\r

        """)
  }

  @Test(arguments: [
    (80, false, 16), (78, false, 16), (77, false, 8), (80, true, 16), (79, true, 8),
    (65, false, 8), (45, false, 8), (44, false, 4), (29, false, 4), (28, false, 4), (0, true, 4),
    (-5, false, 4), (500, false, 16),
  ])
  func rowLength_isTheLongestThatFits(columns: Int, marksDirection: Bool, length: Int) {
    var dump = HexDump(marksDirection: marksDirection)
    dump.fit(columns: columns)
    #expect(dump.rowLength == length)
    let row = dump.feed(String(repeating: "x", count: length))
    #expect(row.hasSuffix("|\r\n"))
    if columns >= 31 { #expect(row.unicodeScalars.count - 2 <= columns) }
  }

  @Test func narrowerScreen_splitsTheRowThatHasBegun() {
    var dump = HexDump()
    #expect(dump.feed("0123456789") == "")
    dump.fit(columns: 60)
    #expect(
      dump.feed("a")
        == "00000000  30 31 32 33 34 35 36 37  |01234567|\r\n"
        + "00000008  38 39 61                 |89a|\r\n")
    #expect(dump.feed("bcdefghi") == "0000000b  62 63 64 65 66 67 68 69  |bcdefghi|\r\n")
  }

  @Test func widerScreen_letsTheRowThatHasBegunGrow() {
    var dump = HexDump()
    dump.fit(columns: 60)
    #expect(dump.feed("01234") == "")
    dump.fit(columns: 80)
    #expect(
      dump.feed("56789abcdef")
        == "00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\r\n")
  }
}
