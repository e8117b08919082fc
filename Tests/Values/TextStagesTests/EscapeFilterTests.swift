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
    "\u{1B}[3b", "\u{1B}[s", "\u{1B}[u", "\u{1B}[2;20r", "\u{1B}[r", "\u{1B}[?J", "\u{1B}[?2K",
    "\u{1B}[2 @", "\u{1B}[2 A", "\u{1B}[g", "\u{1B}[3g", "\u{1B}[4h", "\u{1B}[4l",
    "\u{1B}[?25l", "\u{1B}[?25h", "\u{1B}[?7l", "\u{1B}[?7h", "\u{1B}[?1h", "\u{1B}[?5h",
    "\u{1B}[?6l", "\u{1B}[?47h", "\u{1B}[?1047l", "\u{1B}[?1048h", "\u{1B}[?1049h",
    "\u{1B}7", "\u{1B}8", "\u{1B}D", "\u{1B}E", "\u{1B}M", "\u{1B}H", "\u{1B}=", "\u{1B}>",
    "\u{1B}#8",
  ])
  func whatDraws_passes(text: String) {
    for pieces in cuts(of: Array(text.utf8)) {
      #expect(EscapeFilter().fed(pieces) == Array(text.utf8))
    }
  }

  /// Functions that take one number.
  private static let painting = "@ABCDEFGIKLMPSTXZ`abde"

  /// The bytes before the final byte, with the final bytes for which the sequence passes. Others
  /// are dropped.
  @Test(arguments: [
    ("", painting + "HfrJsumg"), ("0", painting + "HfrJmg"), ("1", painting + "HfrJmg"),
    ("3", painting + "Hfrmg"), ("?25", "hlJK"), ("?7", "hlJK"), ("?3", "K"), ("?", "JK"),
    (">", ""), ("=", ""), ("<", ""), ("!", ""), ("$", ""), (" ", "@A"), ("#", ""), ("'", ""),
    ("*", ""), ("?25$", ""), ("1$", ""), ("1 ", "@A"), (">1", ""), ("=1", ""),
  ])
  func aControlSequence_passesAsItIs_ifItDraws(inner: String, finals: String) {
    for final in 0x40...0x7E as ClosedRange<UInt8> {
      // A soft reset has an effect of its own.
      if inner == "!", final == UInt8(ascii: "p") { continue }
      let sequence = Array("\u{1B}[\(inner)".utf8) + [final]
      let passed = finals.utf8.contains(final) ? sequence : []
      #expect(EscapeFilter().fed([sequence]) == passed)
    }
  }

  @Test func anEscapeSequence_passesAsItIs_ifItDraws() {
    // They begin other sequences, or reset.
    for byte in 0x20...0x7E as ClosedRange<UInt8>
    where !" !\"#$%&'()*+,-./[]PX^_kc".utf8.contains(byte) {
      let sequence = [0x1B, byte]
      #expect(
        EscapeFilter().fed([sequence]) == ("78DEMH=>".utf8.contains(byte) ? sequence : []))
    }
  }

  @Test(arguments: [
    // Strings: titles, colours, links, the clipboard; DCS, APC, PM, SOS.
    "\u{1B}]0;title\u{7}", "\u{1B}]0;title\u{1B}\\", "\u{1B}]52;c;cm0gLXJm\u{1B}\\",
    "\u{1B}]10;?\u{7}\u{1B}]4;1;?\u{7}", "\u{1B}]0;é\u{7}", "\u{1B}]0;x\u{9C}",
    "\u{1B}]3008;start=4f2c;user=root;type=shell;cwd=/root\u{1B}\\", "\u{1B}]\u{7}",
    "\u{1B}P$q\"p\u{1B}\\", "\u{1B}_Ga=q\u{1B}\\", "\u{1B}^x\u{7}\u{1B}\\", "\u{1B}Xx\u{1B}\\",
    "\u{1B}ktitle\u{1B}\\", "\u{1B}]P0ff0000", "\u{1B}]R",
    // Questions that a terminal answers.
    "\u{1B}[6n", "\u{1B}[5n", "\u{1B}[?6n", "\u{1B}[c", "\u{1B}[>c", "\u{1B}[=c", "\u{1B}Z",
    "\u{1B}[>q", "\u{1B}[?25$p", "\u{1B}[4$p", "\u{1B}[x", "\u{1B}[1x", "\u{1B}[?u", "\u{1B}[?m",
    "\u{1B}[?1;1;0S", "\u{1B}[1;1;1;1;1;1*y", "\u{1B}[18t", "\u{1B}[21t", "\u{5}",
    // Modes that outlast the device, or that concern the keyboard, the mouse and the window.
    "\u{1B}[?3h", "\u{1B}[?h", "\u{1B}[25h", "\u{1B}[2h", "\u{1B}[20h", "\u{1B}[34h",
    "\u{1B}[?12l", "\u{1B}[?1000h", "\u{1B}[?1006;1003h", "\u{1B}[?1004h", "\u{1B}[?1034h",
    "\u{1B}[?2026h", "\u{1B}[?69h", "\u{1B}[1;80s", "\u{1B}[97;5u", "\u{1B}[>1u", "\u{1B}[=1u",
    "\u{1B}[>4;2m", "\u{1B}[2 q", "\u{1B}[?1c", "\u{1B}[?1s", "\u{1B}#3", "\u{1B}##8", "\u{1B}%G",
    "\u{1B} F", "\u{1B}l", "\u{1B}~",
    // Effects elsewhere: printing, windows, the mouse, LEDs, the scrollback.
    "\u{1B}[5i", "\u{1B}[?4i", "\u{1B}[8;1;1t", "\u{1B}[22;0;0t", "\u{1B}[1;1;1;1;1T", "\u{1B}[q",
    "\u{1B}[3J", "\u{1B}[9;0]",
  ])
  func whatCommandsOrAsks_isDropped_andCounted(text: String) {
    for pieces in cuts(of: Array("a\(text)b".utf8)) {
      var filter = EscapeFilter()
      var output: [UInt8] = []
      for piece in pieces { filter.feed(Array(piece), into: &output) }
      #expect(String(decoding: output, as: UTF8.self) == "ab")
      #expect(filter.droppedCount > 0)
      #expect(filter.restoration.isEmpty)
    }
  }

  @Test(arguments: [
    // Padding, the present character set, and what is remembered.
    ("\u{0}", ""), ("\u{1B}(B", ""), ("\u{F}", ""), ("\u{1B}[?2004h", ""),
    // No more and no longer numbers than terminals need.
    ("\u{1B}[1;2A", "\u{1B}[1A"), ("\u{1B}[32766;32766H", "\u{1B}[9999;9999H"),
    ("\u{1B}[99999999999999999999A", "\u{1B}[9999A"), ("\u{1B}[1:2H", "\u{1B}[1H"),
    ("\u{1B}[1;2;3H", "\u{1B}[1;2H"), ("\u{1B}[;5;6H", "\u{1B}[0;5H"),
    // Several modes, some of which pass.
    ("\u{1B}[?7;25h", "\u{1B}[?7h\u{1B}[?25h"), ("\u{1B}[?12;25h", "\u{1B}[?25h"),
    ("\u{1B}[?25;3l", "\u{1B}[?25l"), ("\u{1B}[4;20h", "\u{1B}[4h"),
    // Fonts, and colours whose numbers are no fonts.
    ("\u{1B}[0;10m", "\u{1B}[0m"), ("\u{1B}[10m", ""), ("\u{1B}[10;1m", "\u{1B}[1m"),
    ("\u{1B}[;10m", "\u{1B}[m"), ("\u{1B}[38;5;11;15m", "\u{1B}[38;5;11m"),
    ("\u{1B}[48;2;10;11;12;10;1m", "\u{1B}[48;2;10;11;12;1m"), ("\u{1B}[38;7m", "\u{1B}[7m"),
    ("\u{1B}[48;2;1;2;853324m", "\u{1B}[48;2;1;2;9999m"),
    ("\u{1B}[48m", ""), ("\u{1B}[58;5;11m", "\u{1B}[58:5:11m"),
    ("\u{1B}[58;2;10;11;12;1m", "\u{1B}[58:2::10:11:12;1m"),
    // VT and FF are like LF.
    ("\u{B}\u{C}", "\n\n"),
    // Controls in a sequence are obeyed before it.
    ("\u{1B}[3\u{8}C", "\u{8}\u{1B}[3C"), ("\u{1B}[\r2C", "\r\u{1B}[2C"),
    ("\u{1B}[1\u{B}A", "\n\u{1B}[1A"),
  ])
  func sequences_areAdapted(text: String, passed: String) {
    for pieces in cuts(of: Array("a\(text)b".utf8)) {
      #expect(String(decoding: EscapeFilter().fed(pieces), as: UTF8.self) == "a\(passed)b")
    }
  }

  @Test(arguments: [
    ("\u{1B}(0lqqk\u{1B}(Blqqk", "┌──┐lqqk"), ("\u{1B})0\u{E}lqk\u{F}lqk", "┌─┐lqk"),
    ("\u{1B}(0`afg~_\u{1B}(B", "◆▒°±·\u{A0}"), ("\u{1B}(A#\u{1B}(B#", "£#"),
    ("\u{1B}*0\u{1B}Nq\u{1B}nqq\u{F}q", "───q"), ("\u{1B}+0\u{1B}Oqq\u{1B}oq\u{F}", "─q─"),
    // DECSC and DECRC, and the same with the alternate screen.
    ("\u{1B}(0\u{1B}7\u{1B}(Bq\u{1B}8q", "\u{1B}7q\u{1B}8─"),
    ("\u{1B}(0\u{1B}[?1049h\u{1B}(Bq\u{1B}[?1049lq", "\u{1B}[?1049hq\u{1B}[?1049l─"),
    // An unknown set is ASCII.
    ("\u{1B}(0\u{1B}(Kq", "q"), ("\u{1B}(0é世q", "é世─"),
  ])
  func characterSets_areTranslated(text: String, shown: String) {
    for pieces in cuts(of: Array(text.utf8)) {
      #expect(String(decoding: EscapeFilter().fed(pieces), as: UTF8.self) == shown)
    }
  }

  @Test func fontsOfTheLinuxConsole_areCodePage437() {
    let text: [UInt8] =
      Array("\u{1B}[11m".utf8) + [0xDA, 0xC4, 0xBF, 0x10, 0x04, 0x7F, 0x41]
      + Array("\u{1B}[12mD\u{1B}[0;10m".utf8) + [0xC3, 0xA9]
    for pieces in cuts(of: text) {
      #expect(
        String(decoding: EscapeFilter().fed(pieces), as: UTF8.self) == "┌─┐►♦⌂A─\u{1B}[0mé")
    }
  }

  @Test func aReset_undoesWhatTheDeviceHasChanged_andClears() {
    var filter = EscapeFilter()
    _ = filter.feed("\u{1B}[?1h\u{1B}[31m\u{1B}(0\u{1B}[?2004h")
    #expect(filter.feed("\u{1B}cq") == "\u{1B}[?1l\u{1B}[0m\u{1B}[H\u{1B}[2J\u{1B}7q")
    #expect(filter.restoration.isEmpty && filter.switched.isEmpty)
  }

  @Test func aSoftReset_leavesTheScreen() {
    var filter = EscapeFilter()
    _ = filter.feed("\u{1B}[?1049h\u{1B}[?25l\u{1B}[4h\u{1B}(0")
    #expect(filter.feed("\u{1B}[!pq") == "\u{1B}[?25h\u{1B}[4lq")
    #expect(filter.restoration == Array("\u{1B}[?1049l".utf8))
  }

  /// The terminal saves this mode with the cursor, and not every terminal restores it.
  @Test(arguments: [
    "\u{1B}[?6h\u{1B}7\u{1B}[!p\u{1B}8", "\u{1B}[?6h\u{1B}[2;5r\u{1B}[!p\u{1B}8",
    "\u{1B}7\u{1B}[?6h\u{1B}8", "\u{1B}[?6h\u{1B}7\u{1B}c\u{1B}8",
    "\u{1B}7\u{1B}[?6h\u{1B}[?1049h", "\u{1B}[?6h\u{1B}[2;5r",
  ])
  func `Rows do not count from the scroll region afterwards`(_ stream: String) {
    for restores in [true, false] {
      var filter = EscapeFilter()
      let all = filter.feed(stream) + String(decoding: filter.restoration, as: UTF8.self)
      var (isOn, saved) = (false, false)
      for part in all.split(separator: "\u{1B}") {
        switch part.prefix(4) {
        case "[?6h": isOn = true
        case "[?6l": isOn = false
        case "7": saved = isOn
        case "8": if restores { isOn = saved }
        default: break
        }
      }
      #expect(!isOn, "\(restores): \(all.debugDescription)")
    }
  }

  @Test func whatOthersMustKnow_isKnown() {
    var filter = EscapeFilter()
    _ = filter.feed("\u{1B}[?2004h\u{1B}[?1049h\u{1B}[?25l")
    #expect(filter.switched == [.markedPastes, .alternateScreen, .hiddenCursor])
    _ = filter.feed("\u{1B}[?2004l\u{1B}[?1049l\u{1B}[?25h")
    #expect(filter.switched.isEmpty)
  }

  @Test(arguments: [
    // Strings that are cut off.
    ("\u{1B}]0;a\r\n\u{7}", "^[]0;a\r\n\u{7}"), ("\u{1B}]0;a\u{1B}[1mb", "^[]0;a\u{1B}[1mb"),
    ("\u{1B}Pq~\u{18}x", "^[Pq~^Xx"), ("\u{1B}]0;é\u{1}", "^[]0;é^A"), ("\u{1B}]0;a", "^[]0;a"),
    ("\u{1B}^x\u{7}", "^[^x^G"), ("\u{1B}]0;\u{85}", "^[]0;<85>"), ("\u{1B}]0;x\u{1B}", "^[]0;x^["),
    // Malformed sequences.
    ("\u{1B}(", "^[("), ("\u{1B}(\u{1B}[1m", "^[(\u{1B}[1m"), ("\u{1B}[1?2m", "^[[1?2m"),
    ("\u{1B}[3\u{7}1m", "^[[3\u{7}1m"), ("\u{1B}[3\n1m", "^[[3\n1m"),
    ("\u{1B}[\u{1B}[1m", "^[[\u{1B}[1m"),
    ("\u{1B}\u{1B}[6n", "^["), ("\u{1B}[3\u{18}1m", "^[[3^X1m"), ("\u{1B}[3é", "^[[3é"),
    ("\u{1B}[3\u{7F}m", "^[[3m"), ("\u{1B}é", "^[é"), ("\u{1B}\r\n", "^[\r\n"),
    ("\u{1B}[6\u{0}n", "^[[6n"), ("\u{1B}", "^["), ("\u{1B}[1;3", "^[[1;3"),
    // Controls and characters that are not text.
    ("a\u{0}b\u{7F}c", "abc"), ("\u{1}\u{11}\u{1A}\u{1F}", "^A^Q^Z^_"),
    ("\u{9B}6n", "<9b>6n"), ("\u{9D}0;x\u{7}", "<9d>0;x\u{7}"),
    ("\u{85}\u{80}\u{9F}", "<85><80><9f>"), ("a\u{202E}b\u{2066}c", "a<202e>b<2066>c"),
  ])
  func noise_isShown(text: String, shown: String) {
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
      ([0xE2, 0x1B, 0x5B, 0x63], "\u{FFFD}"),
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
    #expect(filter.isWaiting)
    #expect(filter.feed(";") == "^[[" + most)
    #expect(!filter.isWaiting)
    #expect(filter.feed("1m") == "1m")
  }

  @Test func longestSequence_passes() {
    let longest = "\u{1B}[" + String(repeating: ";", count: 61) + "m"
    #expect(longest.utf8.count == Tokenizer.longestSequence)
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
    ("é€😀", "<e9><20ac><1f600>"), ("\u{1B}(0lqk`\u{1B}(B└─┘", "+-++" + "+-+"),
    ("a\u{9B}m\u{202E}", "a<9b>m<202e>"),
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
        == "\u{1B}[1;31mred\u{1B}[0m plain")
  }

  @Test func terminalThatOnlyPrints_getsNoSequence() {
    var filter = EscapeFilter(permitting: .none)
    let text = "\u{1B}[31mred\u{1B}[0m \u{1B}7\u{1B}[2;5H\u{1B}8\u{1B}[?25l\u{1B}[6nx"
    #expect(filter.feed(text) == "red x")
    #expect(filter.restoration.isEmpty && filter.switched.isEmpty)
  }
}
