import Testing
import Views

@Suite struct HexDumpTests {
  private static func dump(_ bytes: [UInt8]) -> String {
    String(decoding: HexDump().fed([bytes]), as: UTF8.self)
  }

  /// As hexdump(1) writes them with `-C`, but for the line's end.
  @Test(arguments: [
    (0, ""),
    (1, "00000000  00                                                |.|\r\n"),
    (8, "00000000  00 01 02 03 04 05 06 07                           |........|\r\n"),
    (9, "00000000  00 01 02 03 04 05 06 07  08                       |.........|\r\n"),
    (16, "00000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  |................|\r\n"),
  ])
  func line_isLaidOut_asHexdumpDoes(count: UInt8, text: String) {
    #expect(Self.dump(Array(0..<count)) == text)
  }

  @Test func textColumn_showsPrintableASCII_andDotsElsewhere() {
    #expect(
      Self.dump([0x1F, 0x20, 0x41, 0x7E, 0x7F, 0x80, 0xFF])
        == "00000000  1f 20 41 7e 7f 80 ff                              |. A~...|\r\n")
  }

  @Test func anyCut_makesTheSameLines() {
    let bytes = Array("A stream that is longer than two lines.\r\n".utf8)
    let whole = HexDump().fed([bytes])
    #expect(whole.count { $0 == 0x0A } == 3)
    for pieces in cuts(of: bytes) { #expect(HexDump().fed(pieces) == whole) }
  }

  @Test func line_isHeldBack_untilItIsFullOrEnded_andOffsetsGoOn() {
    var dump = HexDump()
    #expect(dump.feed("12345") == "")
    var output: [UInt8] = []
    dump.endLine(into: &output)
    dump.endLine(into: &output)
    #expect(
      String(decoding: output, as: UTF8.self)
        == "00000000  31 32 33 34 35                                    |12345|\r\n")
    #expect(
      dump.feed("0123456789abcdefg")
        == "00000005  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\r\n")
  }

  @Test func directionThatChanges_endsTheLine_andEachCountsItsOwnBytes() {
    var dump = HexDump(marksDirection: true)
    var output: [UInt8] = []
    for (text, direction) in [
      ("AT", Direction.toDevice), ("\r", .toDevice), ("OK", .fromDevice), ("", .toDevice),
      ("\r\n", .fromDevice), ("A", .toDevice),
    ] {
      Array(text.utf8).withUnsafeBytes { dump.dump($0, direction, into: &output) }
    }
    dump.endLine(into: &output)
    #expect(
      String(decoding: output, as: UTF8.self) == """
        > 00000000  41 54 0d                                          |AT.|\r
        < 00000000  4f 4b 0d 0a                                       |OK..|\r
        > 00000003  41                                                |A|\r

        """)
  }
}
