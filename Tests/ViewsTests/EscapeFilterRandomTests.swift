import Testing

@testable import Views

@Suite(.timeLimit(.minutes(5))) struct EscapeFilterRandomTests {
  @Test func randomStreams_doNoHarm_howeverTheyAreCut() {
    var stream = HostileStream(seed: 20_261_121)
    for _ in 0..<100_000 {
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

  @Test func restoration_undoesWhatRandomStreamsChange() {
    var stream = HostileStream(seed: 7)
    var changed = 0
    for _ in 0..<20_000 {
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
    #expect(changed > 2_000)
  }

  @Test(arguments: [
    ("", ""), ("text\u{1B}[2J", ""),
    ("\u{1B}[31m", "\u{1B}[0m"), ("\u{1B}[31m\u{1B}[0m", ""), ("\u{1B}[31m\u{1B}[m", ""),
    ("\u{1B}[?25l", "\u{1B}[?25h"), ("\u{1B}[?25l\u{1B}[?25h", ""), ("\u{1B}[?7l", "\u{1B}[?7h"),
    ("\u{1B}[2;9r", "\u{1B}7\u{1B}[r\u{1B}8"), ("\u{1B}[2;9r\u{1B}[r", ""),
    ("\u{1B}[1m\u{1B}7\u{1B}[m\u{1B}8", "\u{1B}[0m"), ("\u{1B}7\u{1B}8", ""),
    ("\u{1B}8", "\u{1B}[0m"), ("\u{1B}[?7l\u{1B}[s\u{1B}[?7h\u{1B}[u", "\u{1B}[?7h"),
    ("\u{1B}[1m\u{1B}[?7;25l\u{1B}[5r", "\u{1B}[0m\u{1B}7\u{1B}[r\u{1B}8\u{1B}[?7h\u{1B}[?25h"),
  ])
  func restoration_namesWhatWasLeftChanged_andNoMore(text: String, restoration: String) {
    var filter = EscapeFilter()
    _ = filter.feed(text)
    #expect(String(decoding: filter.restoration, as: UTF8.self) == restoration)
  }

  @Test(arguments: [
    "\u{1B}[6n", "\u{1B}]0;x", "\u{1B}[?1049h", "\u{1B}[11m", "\u{1B}[3J", "\u{1B}[1;2s",
    "\u{1B}[m\u{1B}",
    "\u{5}", "\u{9B}m", "\u{1B}[?1;25h", "\u{1B}[12345A", "\u{1B}[38;5;1;12m", "\u{1B}Z",
    "\u{202E}",
  ])
  func reading_findsHarm_whenThereIsSome(text: String) {
    #expect(TerminalReading.harm(in: Array(text.utf8)) != nil)
  }
}
