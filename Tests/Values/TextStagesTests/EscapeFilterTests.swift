import TestSupport
import Testing
import Time

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct EscapeFilterTests {
  private static func filtered(_ bytes: [UInt8]) -> String {
    String(decoding: EscapeFilter().fed([bytes]), as: UTF8.self)
  }

  @Test(arguments: [
    "plain text, and more than eight bytes of it",
    "lines\r\nof\ttext\u{8}\u{7}",
    "Grüße, 中文, 🙂, e\u{301}, \u{200D}",
    "\u{1B}[m", "\u{1B}[0m", "\u{1B}[1;31;42m", "\u{1B}[38;5;11m", "\u{1B}[48;2;10;11;12m",
    "\u{1B}[38:2::10:11:12m", "\u{1B}[4:3m", "\u{1B}[;m", "\u{1B}[38;5m",
    "\u{1B}[A", "\u{1B}[12B", "\u{1B}[3C", "\u{1B}[1D", "\u{1B}[E", "\u{1B}[F", "\u{1B}[80G",
    "\u{1B}[H", "\u{1B}[2;3H", "\u{1B}[2;3f", "\u{1B}[2I", "\u{1B}[2Z", "\u{1B}[2`", "\u{1B}[2a",
    "\u{1B}[2d", "\u{1B}[2e", "\u{1B}[J", "\u{1B}[1J", "\u{1B}[2J", "\u{1B}[K", "\u{1B}[2K",
    "\u{1B}[3@", "\u{1B}[3P", "\u{1B}[3L", "\u{1B}[3M", "\u{1B}[3X", "\u{1B}[3S", "\u{1B}[3T",
    "\u{1B}[3b", "\u{1B}[s", "\u{1B}[u", "\u{1B}[2;20r", "\u{1B}[r",
    "\u{1B}[?25l", "\u{1B}[?25h", "\u{1B}[?7l", "\u{1B}[?7h", "\u{1B}[?7;25h",
    "\u{1B}7", "\u{1B}8", "\u{1B}D", "\u{1B}E", "\u{1B}M",
  ])
  func displaySequences_pass(text: String) {
    for pieces in cuts(of: Array(text.utf8)) {
      #expect(EscapeFilter().fed(pieces) == Array(text.utf8))
    }
  }

  /// Functions that take one number.
  private static let painting = "@ABCDEFGIKLMPSTXZ`abde"

  /// The bytes before the final byte, with the final bytes for which the sequence passes.
  @Test(arguments: [
    ("", painting + "HfrJsum"), ("0", painting + "HfrJm"), ("1", painting + "HfrJm"),
    ("3", painting + "Hfrm"), ("11", painting + "HfrJ"), ("1;2", "Hfrm"), ("1;2;3", "m"),
    ("1;2;3;4;5", "m"), ("1:2", "m"), ("?25", "hl"), ("?7", "hl"), ("?7;25", "hl"), ("?3", ""),
    ("?", ""), (">", ""), ("=", ""), ("<", ""), ("!", ""), ("$", ""), (" ", ""), ("#", ""),
    ("'", ""), ("*", ""), ("?25$", ""), ("1$", ""), ("1 ", ""), (">1", ""), ("=1", ""),
  ])
  func anyControlSequence_passesAsItIs_ifItIsOnTheList(inner: String, finals: String) {
    for final in 0x40...0x7E as ClosedRange<UInt8> {
      let sequence = Array("\u{1B}[\(inner)".utf8) + [final]
      let shown = Array("^[[\(inner)".utf8) + [final]
      #expect(EscapeFilter().fed([sequence]) == (finals.utf8.contains(final) ? sequence : shown))
    }
  }

  @Test func anyOtherEscapeSequence_passesAsItIs_ifItIsOnTheList() {
    for byte in 0x20...0x7E as ClosedRange<UInt8> {
      let sequence = [0x1B, byte]
      let shown = Array("^[".utf8) + [byte]
      // The mode of the keypad is dropped, because no user needs to see it.
      guard !"=>".utf8.contains(byte) else { continue }
      #expect(
        EscapeFilter().fed([sequence]) == ("78DEM".utf8.contains(byte) ? sequence : shown))
    }
  }

  @Test(arguments: [
    "\u{1B}[?1h", "\u{1B}[?25;1l", "\u{1B}[?1000h", "\u{1B}[?1006;1003h", "\u{1B}[?2004h",
    "\u{1B}[?1049h", "\u{1B}[?47h", "\u{1B}[?1047l", "\u{1B}[?12;25h", "\u{1B}[?1034h",
    "\u{1B}=", "\u{1B}>", "\u{1B}(B", "\u{F}", "\u{0}",
  ])
  func modesThatEveryPromptSwitches_areDropped(text: String) {
    for pieces in cuts(of: Array("a\(text)b".utf8)) {
      #expect(String(decoding: EscapeFilter().fed(pieces), as: UTF8.self) == "ab")
    }
  }

  @Test(arguments: [
    // Strings: titles, colour queries, links, the clipboard; DCS, APC, PM, SOS.
    ("\u{1B}]0;title\u{7}", "^[]0;title^G"),
    ("\u{1B}]52;c;cm0gLXJm\u{1B}\\", "^[]52;c;cm0gLXJm^[\\"),
    ("\u{1B}]8;;http://a\u{1B}\\x\u{1B}]8;;\u{1B}\\", "^[]8;;http://a^[\\x^[]8;;^[\\"),
    ("\u{1B}]10;?\u{7}\u{1B}]4;1;?\u{7}", "^[]10;?^G^[]4;1;?^G"),
    ("\u{1B}]0;é\u{1B}[31mred\u{7}", "^[]0;é\u{1B}[31mred\u{7}"),
    ("\u{1B}]0;a\r\n\u{7}", "^[]0;a\r\n\u{7}"),
    ("\u{1B}P$q\"p\u{1B}\\", "^[P$q\"p^[\\"), ("\u{1B}_Ga=q\u{1B}\\", "^[_Ga=q^[\\"),
    ("\u{1B}^x\u{7}", "^[^x^G"), ("\u{1B}Xx\u{7}", "^[Xx^G"), ("\u{1B}]P0ff0000", "^[]P0ff0000"),
    // Queries that a terminal answers.
    ("\u{1B}[6n", "^[[6n"), ("\u{1B}[5n", "^[[5n"), ("\u{1B}[?6n", "^[[?6n"),
    ("\u{1B}[c", "^[[c"), ("\u{1B}[>c", "^[[>c"), ("\u{1B}[=c", "^[[=c"), ("\u{1B}Z", "^[Z"),
    ("\u{1B}[>q", "^[[>q"), ("\u{1B}[?25$p", "^[[?25$p"), ("\u{1B}[4$p", "^[[4$p"),
    ("\u{1B}[x", "^[[x"), ("\u{1B}[1x", "^[[1x"), ("\u{1B}[?u", "^[[?u"), ("\u{1B}[?m", "^[[?m"),
    ("\u{1B}[?1;1;0S", "^[[?1;1;0S"), ("\u{1B}[1;1;1;1;1;1*y", "^[[1;1;1;1;1;1*y"),
    ("\u{1B}[18t", "^[[18t"), ("\u{1B}[21t", "^[[21t"), ("\u{5}", "^E"),
    // Permanent changes: modes, character sets, resets, margins, tab stops, fonts,
    // the cursor's shape.
    ("\u{1B}c", "^[c"), ("\u{1B}[!p", "^[[!p"), ("\u{1B}#8", "^[#8"),
    ("\u{1B}[?3h", "^[[?3h"), ("\u{1B}[?25;3h", "^[[?25;3h"), ("\u{1B}[?2004;9h", "^[[?2004;9h"),
    ("\u{1B}[?h", "^[[?h"), ("\u{1B}[25h", "^[[25h"), ("\u{1B}[2h", "^[[2h"),
    ("\u{1B}[4h", "^[[4h"),
    ("\u{1B}[20h", "^[[20h"), ("\u{1B}(0", "^[(0"), ("\u{1B}%G", "^[%G"), ("\u{1B}n", "^[n"),
    ("\u{1B}N", "^[N"), ("\u{1B} F", "^[ F"), ("\u{E}", "^N"), ("\u{1B}(", "^[("),
    ("\u{1B}(\u{1B}[1m", "^[(\u{1B}[1m"), ("\u{1B}[1;80s", "^[[1;80s"),
    ("\u{1B}[97;5u", "^[[97;5u"), ("\u{1B}[>1u", "^[[>1u"), ("\u{1B}H", "^[H"),
    ("\u{1B}[3g", "^[[3g"),
    ("\u{1B}[11m", "^[[11m"), ("\u{1B}[0;12m", "^[[0;12m"), ("\u{1B}[38;5;1;11m", "^[[38;5;1;11m"),
    ("\u{1B}[58;5;11m", "^[[58;5;11m"), ("\u{1B}[2 q", "^[[2 q"), ("\u{1B}[>4;2m", "^[[>4;2m"),
    // Effects elsewhere: printing, windows, the mouse, LEDs, the scrollback.
    ("\u{1B}[5i", "^[[5i"), ("\u{1B}[?4i", "^[[?4i"), ("\u{1B}[8;1;1t", "^[[8;1;1t"),
    ("\u{1B}[1;1;1;1;1T", "^[[1;1;1;1;1T"), ("\u{1B}[q", "^[[q"), ("\u{1B}[3J", "^[[3J"),
    ("\u{1B}[[A", "^[[[A"), ("\u{1B}[9;0]", "^[[9;0]"),
    // Malformed sequences.
    ("\u{1B}[99999A", "^[[99999A"), ("\u{1B}[1;2A", "^[[1;2A"), ("\u{1B}[1:2H", "^[[1:2H"),
    ("\u{1B}[1;2;3H", "^[[1;2;3H"), ("\u{1B}[1?2m", "^[[1?2m"), ("\u{1B}[38;7m", "^[[38;7m"),
    ("\u{1B}[48m", "^[[48m"), ("\u{1B}[3\u{7}1m", "^[[3\u{7}1m"),
    ("\u{1B}[\u{1B}[1m", "^[[\u{1B}[1m"),
    ("\u{1B}\u{1B}[6n", "^[^[[6n"), ("\u{1B}[3\u{18}1m", "^[[3^X1m"), ("\u{1B}[3é", "^[[3é"),
    ("\u{1B}[3\u{7F}m", "^[[3^?m"), ("\u{1B}é", "^[é"), ("\u{1B}\r\n", "^[\r\n"),
    ("\u{1B}[6\u{0}n", "^[[6n"), ("\u{1B}", "^["), ("\u{1B}[1;3", "^[[1;3"),
    // Controls and characters that are not text.
    ("a\u{0}b", "ab"), ("\u{1}\u{B}\u{C}\u{11}\u{1A}\u{1F}\u{7F}", "^A^K^L^Q^Z^_^?"),
    ("\u{9B}6n", "<9b>6n"), ("\u{9D}0;x\u{7}", "<9d>0;x^G"), ("\u{85}\u{80}\u{9F}", "<85><80><9f>"),
    ("a\u{202E}b\u{2066}c", "a<202e>b<2066>c"),
  ])
  func otherSequences_areShownAsText(text: String, shown: String) {
    for pieces in cuts(of: Array(text.utf8)) {
      #expect(String(decoding: EscapeFilter().fed(pieces), as: UTF8.self) == shown)
    }
  }

  @Test(
    arguments: [
      ([0x9B, 0x36, 0x6E], "\u{FFFD}6n"),
      ([0x61, 0xC3, 0x28], "a\u{FFFD}("),
      ([0xC0, 0x9B], "\u{FFFD}\u{FFFD}"),
      ([0xE0, 0x82, 0x9B], "\u{FFFD}\u{FFFD}\u{FFFD}"),
      ([0xE2, 0x82, 0x61], "\u{FFFD}a"),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
      ([0xF0, 0x9F, 0x99], "\u{FFFD}"),
      ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
      ([0xE2, 0x1B, 0x5B, 0x63], "\u{FFFD}^[[c"),
      ([0xFF, 0xFE, 0x0A], "\u{FFFD}\u{FFFD}\n"),
    ] as [([UInt8], String)])
  func bytesThatAreNoUTF8_areMarked_beforeAnybodyTakesThemForC1(bytes: [UInt8], shown: String) {
    for pieces in cuts(of: bytes) {
      #expect(String(decoding: EscapeFilter().fed(pieces), as: UTF8.self) == shown)
    }
  }

  @Test func text_isDecoded_asTheStandardLibraryDoes() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<5_000 {
      let bytes = (0..<12).map { _ in UInt8.random(in: 0x80...0xFF, using: &random) }
      let decoded = String(decoding: bytes, as: UTF8.self)
      if TerminalReading.harm(in: Array(decoded.utf8)) != nil { continue }
      #expect(Self.filtered(bytes) == decoded)
    }
  }

  @Test func sequence_isShown_whenItGetsTooLong() {
    var filter = EscapeFilter()
    let most = String(repeating: "1;", count: 31)
    #expect(filter.feed("\u{1B}[" + most.dropLast()) == "")
    #expect(filter.waiting == 63)
    #expect(filter.feed(";") == "^[[" + most)
    #expect(filter.waiting == 0)
    #expect(filter.feed("1m") == "1m")
  }

  @Test func longestSequence_passes() {
    let longest = "\u{1B}[" + String(repeating: ";", count: 61) + "m"
    #expect(longest.utf8.count == EscapeFilter.maximalLength)
    var filter = EscapeFilter()
    #expect(filter.feed(longest) == longest)
  }

  @Test func flush_showsTheHeldText_andStartsAgain() {
    for (begun, shown) in [("\u{1B}", "^["), ("\u{1B}[1", "^[[1"), ("a", "")] {
      var filter = EscapeFilter()
      _ = filter.feed(begun)
      var output: [UInt8] = []
      filter.flush(into: &output)
      #expect(String(decoding: output, as: UTF8.self) == shown)
      #expect(filter.feed("31m") == "31m")
    }
  }

  @Test func plainText_isHandedOn_withoutACopy() {
    var filter = EscapeFilter()
    var output: [UInt8] = []
    let text = Array("plain, 中文\r\n".utf8)
    #expect(text.withUnsafeBytes { filter.transform($0, at: .any, into: &output) } == .unchanged)
    #expect(output.isEmpty)
  }

  @Test(arguments: [
    ("é€😀", "<e9><20ac><1f600>"), ("a\u{9B}m\u{202E}", "a<9b>m<202e>"),
    ("\u{1B}[31mé\u{1B}[0m", "\u{1B}[31m<e9>\u{1B}[0m"), ("plain\r\n\t", "plain\r\n\t"),
  ])
  func terminalWithoutUTF8_getsASCII(text: String, expected: String) {
    var filter = EscapeFilter(showsUTF8: false)
    #expect(filter.feed(text) == expected)
  }

  @Test func terminalWithoutUTF8_getsBytesThatAreNoUTF8_asTheirValues() {
    let filter = EscapeFilter(showsUTF8: false)
    #expect(filter.fed([[0xFF, 0xE2], [0x82, 0x61]]) == Array("<ff><e2><82>a".utf8))
  }

  @Test func `Only colours pass where text shares its lines`() {
    let filter = EscapeFilter(permitting: .colours)
    let text = "\u{1B}[2J\u{1B}[1;31mred\u{1B}[3A\u{1B}7\u{1B}[0m\u{1B}[?25l plain\u{1B}]0;x\u{7}"
    #expect(
      String(decoding: filter.fed([Array(text.utf8)]), as: UTF8.self)
        == "\u{1B}[1;31mred\u{1B}[0m plain^[]0;x^G")
  }

  @Test func terminalThatOnlyPrints_getsNoSequence() {
    var filter = EscapeFilter(permitting: .none)
    let text = "\u{1B}[31mred\u{1B}[0m \u{1B}7\u{1B}[2;5H\u{1B}8\u{1B}[?25l\u{1B}[6nx"
    #expect(filter.feed(text) == "red ^[[6nx")
    #expect(filter.restoration.isEmpty && !filter.isCursorHidden)
  }
}
