import TestSupport
import Testing

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct EscapeFilterRandomTests {
  @Test func randomStreams_doNoHarm_howeverTheyAreCut() {
    var stream = HostileStream(seed: 20_261_121)
    for _ in 0..<repetitions(100_000) {
      let bytes = stream.next()
      let whole = EscapeFilter().fed([bytes])
      if let harm = TerminalReading.harm(in: whole) {
        Issue.record("\(harm) came out of \(bytes)")
      }
      if EscapeFilter().fed(stream.cut(bytes)) != whole {
        Issue.record("cut, something else came out of \(bytes)")
      }
    }
  }

  @Test func restoration_undoesTheChangesOfRandomStreams() {
    var stream = HostileStream(seed: 7)
    var changed = 0
    let count = repetitions(20_000)
    for _ in 0..<count {
      var filter = EscapeFilter()
      var output: [UInt8] = []
      let bytes = stream.next()
      filter.feed(bytes, into: &output)
      filter.flush(into: &output)
      var screen = TerminalModes()
      screen.show(output)
      if screen != TerminalModes() { changed += 1 }
      screen.show(filter.restoration)
      if screen != TerminalModes() { Issue.record("\(screen) is left by \(bytes)") }
    }
    #expect(changed > count / 10)
  }

  @Test func screenState_isThatOfTheStream_inAnyStateOfTheTerminal() {
    var stream = HostileStream(seed: 9)
    for _ in 0..<repetitions(20_000) {
      var filter = EscapeFilter()
      var (output, others) = ([UInt8](), [UInt8]())
      filter.feed(stream.next(), into: &output)
      var (screen, other) = (TerminalModes(), TerminalModes())
      screen.show(output)
      // A terminal with different previous output.
      var otherFilter = EscapeFilter()
      otherFilter.feed(stream.next(), into: &others)
      other.show(others)
      // They cannot be set without moving the cursor.
      other.keepOriginAndTabs(of: screen)
      other.show(filter.screenState)
      if other != screen { Issue.record("\(other), not \(screen)") }
      other.keepOriginAndTabs(of: TerminalModes())
      other.show(EscapeFilter.originalScreenState)
      if other != TerminalModes() { Issue.record("\(other) is not the original") }
    }
  }

  @Test func screenState_isBounded_andKeepsTheLastOfEachAttribute() {
    var filter = EscapeFilter()
    _ = filter.feed("\u{1B}[1;4m\u{1B}[48;2;1;2;3m")
    for number in 0..<1_000 { _ = filter.feed("\u{1B}[38;5;\(number % 256)m\u{1B}[3;7m\u{1B}[27m") }
    let state = String(decoding: filter.screenState, as: UTF8.self)
    #expect(
      state.hasPrefix(
        "\u{1B}[?1047l\u{1B}7\u{1B}[r\u{1B}8\u{1B}[?1l\u{1B}[?5l\u{1B}[?7h\u{1B}[?25h\u{1B}[4l"
          + "\u{1B}>\u{1B}[0m"))
    #expect(state.hasSuffix("\u{1B}[0m\u{1B}[1;3;4;38;5;231;48;2;1;2;3m"))
  }

  @Test(arguments: [
    ("", ""), ("text\u{1B}[2J", ""),
    ("\u{1B}[31m", "\u{1B}[0m"), ("\u{1B}[31m\u{1B}[0m", ""), ("\u{1B}[31m\u{1B}[m", ""),
    ("\u{1B}[?25l", "\u{1B}[?25h"), ("\u{1B}[?25l\u{1B}[?25h", ""), ("\u{1B}[?7l", "\u{1B}[?7h"),
    ("\u{1B}[2;9r", "\u{1B}7\u{1B}[r\u{1B}8"), ("\u{1B}[2;9r\u{1B}[r", ""),
    ("\u{1B}[1m\u{1B}7\u{1B}[m\u{1B}8", "\u{1B}[0m"), ("\u{1B}7\u{1B}8", ""),
    ("\u{1B}8", "\u{1B}[0m"), ("\u{1B}[?7l\u{1B}[s\u{1B}[?7h\u{1B}[u", "\u{1B}[?7h"),
    ("\u{1B}[1m\u{1B}[?7;25l\u{1B}[5r", "\u{1B}[?7h\u{1B}[?25h\u{1B}[0m\u{1B}7\u{1B}[r\u{1B}8"),
    ("\u{1B}[?1;5h\u{1B}=\u{1B}[4h", "\u{1B}[?1l\u{1B}[?5l\u{1B}[4l\u{1B}>"),
    ("\u{1B}[?1049h\u{1B}[?1h", "\u{1B}[?1049l\u{1B}[?1l"), ("\u{1B}[?47h\u{1B}[?47l", ""),
    ("\u{1B}[?6h", "\u{1B}[?6l\u{1B}[9999H"),
    (
      "\u{1B}[31m\u{1B}[?6h\u{1B}[?1049h\u{1B}[m\u{1B}[?6l",
      "\u{1B}[?1049l\u{1B}[0m\u{1B}[?6l\u{1B}[9999H"
    ),
    ("\u{1B}[?1049h\u{1B}[?47l\u{1B}[?6h", "\u{1B}7\u{1B}[?1049l\u{1B}[?6l\u{1B}[9999H"),
  ])
  func restoration_namesOnlyTheRemainingChanges(text: String, restoration: String) {
    var filter = EscapeFilter()
    _ = filter.feed(text)
    #expect(String(decoding: filter.restoration, as: UTF8.self) == restoration)
  }

  @Test(arguments: [
    "\u{1B}[6n", "\u{1B}]0;x", "\u{1B}[?1000h", "\u{1B}[11m", "\u{1B}(0", "\u{E}", "\u{1B}c",
    "\u{1B}[3J", "\u{1B}[1;2s",
    "\u{1B}[m\u{1B}",
    "\u{5}", "\u{9B}m", "\u{1B}[?1;12h", "\u{1B}[12345A", "\u{1B}[38;5;1;12m", "\u{1B}Z",
    "\u{202E}",
  ])
  func reading_findsHarm_whenThereIsSome(text: String) {
    #expect(TerminalReading.harm(in: Array(text.utf8)) != nil)
  }
}
