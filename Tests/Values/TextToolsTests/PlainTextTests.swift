import Testing
import TextTools

@Suite struct PlainTextTests {
  @Test func textOfEveryScript_staysAsItIs() {
    let text = "café 串口 مرحبا שלום ไทย 😀 e\u{301}"
    #expect(text.harmless == text)
  }

  @Test(arguments: [
    ("ttyUSB0", "ttyUSB0"), ("usb:0403:6001", "usb:0403:6001"), ("", "''"), ("a b", "'a b'"),
    ("x'; rm -rf ~; '", #"'x'\''; rm -rf ~; '\'''"#), ("$(id)", "'$(id)'"), ("~", "'~'"),
    ("a\nb", #"$'a\012b'"#), ("\u{202E}\\'", #"$'\342\200\256\\\''"#), ("ü", "'ü'"),
    // For the shell it is a quotation mark, with any combining character after it.
    ("'\u{301}", "''\\''\u{301}'"),
  ])
  func shellWord_isReadBackByAShell(text: String, word: String) {
    #expect(text.shellWord == word)
  }

  @Test func lineOfAText_isShortened_ifItIsOneCharacter() {
    let text = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(text.harmlessLines.unicodeScalars.count < 700)
  }

  @Test func linesOfAText_areHarmless_andStayLines() {
    #expect(
      "a\u{1B}[2J\n\nb\u{9B}c\rd".harmlessLines == "a\u{FFFD}[2J\n\nb\u{FFFD}c\u{FFFD}d")
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000"),
  ])
  func counts_areGroupedByThousands(number: Int, text: String) {
    #expect(number.grouped == text)
  }

  @Test(arguments: [
    (0, "0 bytes", "0 bytes were"), (1, "1 byte", "1 byte was"),
    (2, "2 bytes", "2 bytes were"), (30_000, "30,000 bytes", "30,000 bytes were"),
  ])
  func nounAfterACount_isSingularForOne(number: Int, text: String, passive: String) {
    #expect(number.counted("byte") == text)
    #expect(number.bytesWere == passive)
  }
}
