import Testing
import TextStages
import Time

@Suite(.timeLimit(.minutes(30))) struct WholeSequencesTests {
  private static let samples = [
    "plain text\r\n", "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{07}after", "grün € 🙂",
    "\u{1B}P1;2|data\u{1B}\\x", "\u{1B}(0lqk\u{1B}(B", "\u{1B}7\u{1B}[?25l\u{1B}8",
  ]

  @Test func everyByteIsPassedOn_howeverTheStreamIsSplit() {
    for sample in Self.samples {
      let bytes = Array(sample.utf8)
      for cut in cuts(of: bytes) {
        #expect(WholeSequences().fed(cut) == bytes, "\(sample.debugDescription)")
      }
    }
  }

  @Test func aSequenceWaitsForItsEnd() {
    var stage = WholeSequences()
    #expect(stage.feed("text\u{1B}[3") == "text")
    #expect(stage.feed("1") == "")
    #expect(stage.feed("mred") == "\u{1B}[31mred")
    #expect(stage.feed("\u{1B}]0;ti") == "")
    #expect(stage.feed("tle\u{07}.") == "\u{1B}]0;title\u{07}.")
  }

  @Test func aCharacterWaitsForItsEnd() {
    var stage = WholeSequences()
    var output: [UInt8] = []
    stage.feed([0x61, 0xE2, 0x82], into: &output)
    #expect(output == [0x61])
    stage.feed([0xAC], into: &output)
    #expect(output == [0x61, 0xE2, 0x82, 0xAC])
  }

  @Test func aControlCharacterWithinASequence_endsItOrNot_asATerminalHasIt() {
    var stage = WholeSequences()
    #expect(stage.feed("\u{1B}[3\u{18}x") == "\u{1B}[3\u{18}x")
    #expect(stage.feed("\u{1B}[3\r") == "")
    #expect(stage.feed("1m") == "\u{1B}[3\r1m")
  }

  @Test func aSequenceThatIsTooLong_isPassedOnUnchanged() {
    var stage = WholeSequences()
    var output: [UInt8] = []
    let piece = [UInt8](repeating: 0x41, count: 40_000)
    stage.feed(Array("\u{1B}P".utf8) + piece, into: &output)
    #expect(output.isEmpty)
    stage.feed(piece, into: &output)
    #expect(output.count == 80_002)
    stage.feed([0x41], into: &output)
    #expect(output.count == 80_003)
    stage.feed(Array("\u{1B}\\\u{1B}[".utf8), into: &output)
    #expect(output.count == 80_005)
  }

  @Test func aSequenceBehindOneThatWasTooLong_waitsForItsEnd() {
    var stage = WholeSequences()
    var output: [UInt8] = []
    stage.feed(Array("\u{1B}P".utf8) + [UInt8](repeating: 0x41, count: 80_000), into: &output)
    #expect(stage.feed("\u{1B}\\") == "\u{1B}\\")
    #expect(stage.feed("\u{1B}[3") == "")
    #expect(stage.feed("1m") == "\u{1B}[31m")
  }

  /// Where everything passes, what a device may have switched is undone.
  @Test(arguments: [
    ("\u{1B}[?1h", "\u{1B}[?1l"), ("\u{1B}[2h", "\u{1B}[2l"), ("\u{1B}(0", "\u{1B}(B"),
    ("\u{1B})0\u{E}", "\u{1B})B\u{F}"), ("\u{1B}n", "\u{F}"), ("\u{1B}o\u{F}", ""),
    ("\u{1B}%@", "\u{1B}%G"), ("\u{1B}%@\u{1B}%G", ""), ("\u{1B} G", "\u{1B} F"),
    ("\u{1B}[3 q", "\u{1B}[0 q"), ("\u{1B}[?17;0;64c", "\u{1B}[?0c"), ("\u{1B}[c", ""),
    ("\u{1B}[>4;2m", "\u{1B}[>4m"), ("\u{1B}[=5u", "\u{1B}[=0u"),
    ("\u{1B}]4;1;#ff0000\u{7}", "\u{1B}]104\u{1B}\\"),
    ("\u{1B}]11;#ff0000\u{1B}\\", "\u{1B}]111\u{1B}\\"), ("\u{1B}]11;#f00\u{7}\u{1B}]111\u{7}", ""),
    ("\u{1B}]P1ff0000", "\u{1B}]R\u{1B}\\"), ("\u{1B}]0;title\u{7}", ""),
    ("\u{1B}H", "\u{1B}7\u{1B}[3g\u{1B}[9G\u{1B}H\u{1B}[17G\u{1B}H\u{1B}8"),
    ("\u{1B}[3g\u{1B}c", ""), ("\u{1B}]11;?\u{7}\u{1B}]4;1;?\u{7}", ""),
    ("\u{1B}]11;#300\u{7}\u{1B}[!p", "\u{1B}]111\u{1B}\\"),
    ("\u{1B}]4;1;#300\u{7}\u{1B}]104;1\u{7}", "\u{1B}]104\u{1B}\\"),
    ("\u{1B}]4;1;?;2;#300\u{7}\u{1B}]104\u{7}", ""),
    ("\u{1B}]10;#fff;?;#000\u{7}", "\u{1B}]110\u{1B}\\\u{1B}]112\u{1B}\\"),
    ("\u{1B}[>1u\u{1B}[>5u", "\u{1B}[<2u"), ("\u{1B}[>1u\u{1B}[>5u\u{1B}[<u", "\u{1B}[<1u"),
    ("\u{1B}[>1u\u{1B}[<9u", ""), ("\u{1B}[u\u{1B}[?u", ""),
    ("\u{1B}[>1u\u{1B}[?1049h\u{1B}[>5u", "\u{1B}[<1u\u{1B}[?1049l\u{1B}[<1u"),
    ("\u{1B}[5W", "\u{1B}7\u{1B}[3g\u{1B}[9G\u{1B}H\u{1B}[17G\u{1B}H\u{1B}8"),
    ("\u{1B}[?1049h\u{1B}[?1000h\u{1B}c", ""),
  ])
  func `What a device has switched is undone`(_ stream: String, _ undoing: String) {
    var stage = WholeSequences { 17 }
    #expect(stage.feed(stream) == stream)
    #expect(String(decoding: stage.restoration, as: UTF8.self) == undoing)
  }

  @Test func `What passed before is undone, too`() {
    var filter = EscapeFilter()
    _ = filter.feed("\u{1B}[?1h\u{1B}[3g\u{1B}7\u{1B}[?6h\u{1B}8")
    let undoing = String(decoding: WholeSequences(after: filter).restoration, as: UTF8.self)
    for part in ["\u{1B}[?1l", "\u{1B}[?6l", "\u{1B}[3g\u{1B}[9G"] {
      #expect(undoing.contains(part))
    }
  }

  @Test func plainText_isNotCopied() {
    var stage = WholeSequences()
    var output: [UInt8] = []
    let result = Array("plain\r\n".utf8).withUnsafeBytes {
      stage.transform($0, at: .any, into: &output)
    }
    #expect(result == .unchanged)
  }
}
