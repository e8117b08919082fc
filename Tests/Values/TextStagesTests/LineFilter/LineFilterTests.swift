import TestSupport
import Testing

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct LineFilterTests {
  @Test(
    arguments: [
      (["wifi"], [], nil, ["I (1) wifi", "D (3) wifi"]),
      (["wifi", "http"], ["^D"], nil, ["I (1) wifi", "W (2) http"]),
      ([], ["wifi"], nil, ["W (2) http", "plain", ""]),
      ([], [], .warning, ["W (2) http", "plain", ""]),
      ([], [], .info, ["I (1) wifi", "W (2) http", "plain", ""]),
      (["wifi"], [], .error, []),
      (["^$"], [], nil, [""]),
    ] as [([String], [String], LogLevel?, [String])])
  func theRulesChooseTheLines(
    _ show: [String], _ hide: [String], _ level: LogLevel?, _ expected: [String]
  ) throws {
    for draws in [true, false] {
      var screen = FilteredScreen(try rules(show: show, hide: hide, level: level), draws: draws)
      screen.receive("I (1) wifi\r\nW (2) http\r\nD (3) wifi\r\nplain\r\n\r\n")
      #expect(screen.text == expected.map { $0 + "\r\n" }.joined())
      #expect(screen.filter.hiddenCount == 5 - expected.count)
    }
  }

  @Test(arguments: [true, false]) func linesThatTakeTooLongAreShownAndCounted(shows: Bool) throws {
    // Each byte of random text needs another state of the automaton.
    let expression = "(?:a|b)*a" + String(repeating: "(?:a|b)", count: 240) + "c"
    var screen = FilteredScreen(
      try shows ? rules(show: [expression]) : rules(hide: ["x", expression]), draws: false)
    var random = SplitMix64(seed: 1)
    let line = String((0..<4_000).map { _ in Bool.random(using: &random) ? "a" : "b" })
    screen.receive("1\(line)\r\n2\(line)\r\n")
    #expect(screen.filter.unjudgedCount == 2)
    #expect(screen.filter.hiddenCount == 0)
    // The next piece has a budget of its own.
    screen.receive("short\r\n")
    #expect(screen.filter.unjudgedCount == 2)
    #expect(screen.filter.hiddenCount == (shows ? 1 : 0))
  }

  @Test func aPromptAppearsImmediately() throws {
    var screen = FilteredScreen(try rules(show: ["ok"]))
    screen.receive("login: ")
    #expect(screen.text == "login: ")
    #expect(!screen.filter.isWaiting)
    screen.receive("ok\r\n")
    #expect(screen.lines == ["login: ok", ""])
  }

  @Test func aLineThatTurnsOutToBeHidden_isErased() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]))
    screen.receive("one\r\nsome noi")
    #expect(screen.lines == ["one", "some noi"])
    screen.receive("se\r\n")
    #expect(screen.lines == ["one", ""])
    #expect(screen.text.hasSuffix("noi\u{1B}[2K\r"))
    screen.receive("two\r\n")
    #expect(screen.lines == ["one", "two", ""])
    #expect(screen.filter.hiddenCount == 1)
  }

  /// Wrapped lines, wide characters at the edge, tabs, backspaces, colours.
  @Test(
    arguments: [
      "one\r\nnoise\r\ntwo\r\n", "noise\r\nnoise\r\n", "one\r\n\r\nnoise 2\r\ntwo",
      "noise that is longer than twenty columns\r\ntwo\r\n",
      "noise: twenty column\r\ntwo\r\n", "noise: twenty columns\r\ntwo\r\n",
      "宽宽宽宽宽宽宽宽宽noise宽宽宽\r\ntwo\r\n", "noise 宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽宽\r\n2\r\n",
      "noise宽宽宽宽宽宽宽宽\r\ntwo\r\n", "noise\t\t\tab\r\ntwo\r\n",
      "noiseabc\u{8}\u{8}\u{8}de\r\ntwo\r\n",
      "a\u{1B}[31m noise \u{1B}[1mand\r\nred\r\n\u{1B}[0mplain\r\n",
      "\u{1B}[32mnoise\u{1B}[0m\r\n\u{1B}[33mtwo\u{1B}[0m\r\n", "two\r\r\nnoise\r\r\nthree\r\n",
      "one\n\rnoise\n\rtwo\n\r\n\rnoise\n\rnoise\n\rthree\n\r",
      "é noise è\r\ntwo\r\n", "a\u{1B}[?25lnoise\r\nb\r\n\u{1B}[?25h",
    ])
  func theScreenIsTheSame_howeverTheStreamIsCut(_ text: String) throws {
    let bytes = Array(text.utf8)
    for isStamping in [false, true] {
      var whole = FilteredScreen(try rules(hide: ["noise"]), rows: 8, isStamping: isStamping)
      whole.receive(bytes)
      #expect(!whole.text.contains("noise"))
      for pieces in cuts(of: bytes) {
        var cut = FilteredScreen(try rules(hide: ["noise"]), rows: 8, isStamping: isStamping)
        for piece in pieces { cut.receive(Array(piece)) }
        #expect(cut.lines == whole.lines, "\(pieces.map(\.count)) \(cut.text)")
        // A timestamp has the colours of the moment when it is written.
        if !isStamping { #expect(cut.cells == whole.cells, "\(pieces.map(\.count))") }
        #expect(cut.screen.place.row == whole.screen.place.row)
        #expect(cut.screen.place.column == whole.screen.place.column)
        #expect(cut.screen.place.attributes == whole.screen.place.attributes)
        #expect(cut.screen.isCursorShown == whole.screen.isCursorShown)
        #expect(cut.filter.hiddenCount == whole.filter.hiddenCount)
        #expect(cut.screen.unknown.isEmpty)
      }
    }
  }

  @Test(arguments: ["noise\r\n\r\nnoise\r\ntwo\r\n", "noise\n\r\n\rnoise\n\rtwo\n\r"])
  func anEmptyLineAfterAHiddenOne_isShown(_ text: String) throws {
    for pieces in cuts(of: Array(text.utf8)) {
      var screen = FilteredScreen(try rules(hide: ["noise"]))
      for piece in pieces { screen.receive(Array(piece)) }
      #expect(screen.lines.prefix(2) == ["", "two"] && screen.screen.place.column == 0)
    }
  }

  @Test(arguments: ["one\nnoise\r\ntwo", "one\nnoise\n\rtwo", "one\nnoise\rtwo"])
  func theCRofAHiddenLine_takesEffect(_ text: String) throws {
    for pieces in cuts(of: Array(text.utf8)) {
      var screen = FilteredScreen(try rules(hide: ["noise"], collapse: true))
      for piece in pieces { screen.receive(Array(piece)) }
      // What was drawn after an LF alone cannot be erased.
      if screen.filter.hiddenCount == 1 { #expect(screen.lines == ["one", "two"]) }
    }
  }

  @Test func aColourOfManyNumbers_isNoBackground() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]))
    screen.receive("\u{1B}[38;5;44mnoi")
    screen.receive("se\u{1B}[0m\r\n")
    #expect(screen.filter.hiddenCount == 1)
  }

  @Test(arguments: [
    "one\r\ntwo\r\ntwo\r\nthree\r\n", "one\n\rtwo\n\rtwo\n\rthree\n\r",
    "one\r\r\ntwo\r\r\ntwo\r\r\nthree\r\r\n", "\rone\n\rtwo\n\rtwo\n\rthree\n",
  ])
  func equalLinesAreEqual_whateverEndsThem(_ text: String) throws {
    let bytes = Array(text.utf8)
    for pieces in cuts(of: bytes) {
      var screen = FilteredScreen(try rules(collapse: true), rows: 8)
      for piece in pieces { screen.receive(Array(piece)) }
      screen.pause()
      #expect(screen.lines.prefix(3) == ["one", "two (×2)", "three"], "\(pieces.map(\.count))")
    }
  }

  @Test func theRestOfALineWithAHiddenLevel_isNotDrawn() throws {
    var screen = FilteredScreen(try rules(level: .warning))
    screen.receive("D (1")
    #expect(screen.lines == ["D (1"])
    screen.receive("2) secret")
    #expect(screen.lines == [""])
    screen.receive(" words")
    screen.pause()
    screen.receive("\r\nW (13) x\r\n")
    #expect(screen.lines == ["W (13) x", ""])
    #expect(!screen.text.contains("secret"))
    #expect(screen.filter.hiddenCount == 1)
  }

  @Test func aWholeLineIsNeverDrawn() throws {
    var screen = FilteredScreen(try rules(level: .error))
    screen.receive("I (1) a\r\nI (2) b\r\nE (3) c\r\nI (4)")
    #expect(screen.text == "E (3) c\r\n")
  }

  // MARK: What cannot be erased

  @Test func aLineAfterOtherText_stays() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]))
    screen.receive("noi")
    screen.program("the program says")
    screen.receive("se\r\nnoise\r\ntwo\r\n")
    #expect(screen.lines == ["noi", "the program says", "se", "two", ""])
    #expect(screen.filter.hiddenCount == 1)
  }

  @Test func aLineThatIsHigherThanTheWindow_stays() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]), columns: 5, rows: 3)
    screen.receive("noise ")
    screen.receive("abcdefghi")
    screen.receive("jklmno")
    screen.receive("\r\n")
    #expect(screen.lines == ["noise", " abcd", "efghi", "jklmn", "o", ""])
    #expect(screen.filter.hiddenCount == 0)
    screen.receive("noise 2345678")
    screen.receive("\r\n")
    #expect(screen.filter.hiddenCount == 1)
  }

  @Test func withTimestampsOfUncertainWidth_onlyCertainRowsAreErased() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]), margin: 0...10)
    screen.receive("noise 789")
    screen.receive("0\r\n")
    #expect(screen.filter.hiddenCount == 1)
    screen.receive("noise 78901")
    screen.receive("2\r\n")
    #expect(screen.filter.hiddenCount == 1)
  }

  @Test func aLineThatDoesNotBeginInTheFirstColumn_stays() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]), isAtMargin: false)
    screen.receive("noi")
    screen.receive("se\n noi")
    screen.receive("se\r\n noi")
    #expect(screen.filter.hiddenCount == 0)
    screen.receive("se\r\n")
    #expect(screen.filter.hiddenCount == 1)
  }

  @Test func aColouredBackground_isNotSpreadOverTheRow() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]))
    screen.receive("\u{1B}[41mnoi")
    screen.receive("se\u{1B}[0m\r\n")
    #expect(screen.filter.hiddenCount == 0)
    screen.receive("noi")
    screen.receive("se\r\n")
    #expect(screen.filter.hiddenCount == 1)
  }

  @Test(arguments: ["\u{1B}[2J", "\u{1B}[5;1H", "\u{1B}7", "\u{1B}[3C", "\u{1B}[2;5r", "\u{1B}M"])
  func aLineInWhichTheDeviceDraws_isShown(_ sequence: String) throws {
    let text = "noise\(sequence) noise\r\nnoise\r\n"
    for pieces in cuts(of: Array(text.utf8)) {
      var screen = FilteredScreen(try rules(hide: ["noise"]))
      for piece in pieces { screen.receive(Array(piece)) }
      #expect(screen.text.contains("noise\(sequence) noise\r\n"))
      #expect(screen.filter.hiddenCount == 1)
    }
  }

  @Test func withoutWrapping_nothingIsErased() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]))
    screen.receive("\u{1B}[?7lx\r\nnoise")
    screen.receive("\r\n")
    #expect(screen.filter.hiddenCount == 0)
    screen.receive("\u{1B}[?7hx\r\nnoise")
    screen.receive("\r\n")
    #expect(screen.filter.hiddenCount == 1)
  }

  // MARK: Without erasing

  @Test func whereNothingCanBeErased_anUnfinishedLineWaits() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]), draws: false)
    screen.receive("one\r\nnoi")
    #expect(screen.text == "one\r\n")
    #expect(screen.filter.isWaiting)
    screen.receive("se\r\nlogin: ")
    #expect(screen.text == "one\r\n")
    screen.pause()
    #expect(screen.text == "one\r\nlogin: ")
    #expect(!screen.filter.isWaiting)
    screen.receive("noise\r\n")
    #expect(screen.text == "one\r\nlogin: noise\r\n")
    #expect(screen.filter.hiddenCount == 1)
  }

  // MARK: Colours, progress bars

  @Test func coloursOfHiddenLines_takeEffectBeforeTheNextText() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]), columns: 80, isStamping: true)
    screen.receive("\u{1B}[31mnoise\r\n", second: 1)
    #expect(screen.text == "")
    screen.receive("\u{1B}[1mnoise\r\nred\r\n\u{1B}[0mnoise\r\nplain\r\n", second: 2)
    #expect(screen.text == "[2.000] \u{1B}[31m\u{1B}[1mred\r\n[2.000] \u{1B}[0mplain\r\n")
  }

  @Test(arguments: ["\u{1B}=", "\u{1B}[?1h", "\u{1B}[?25l"])
  func modesOfHiddenLines_takeEffect(_ mode: String) throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]))
    screen.receive("\(mode)noise\r\nx")
    #expect(screen.text == "\(mode)x" && screen.filter.hiddenCount == 1)
  }

  @Test func aResetReplacesWhatCameBefore() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"]))
    for _ in 0..<10 { screen.receive("\u{1B}[31mnoise\u{1B}[0;1m\r\n") }
    screen.receive("text\r\n")
    #expect(screen.text.hasSuffix("\u{1B}[0;1mtext\r\n"))
    #expect(screen.screen.grid[0][0].attributes == [1])
  }

  @Test func everyStateOfAProgressBar_isALine() throws {
    var screen = FilteredScreen(try rules(hide: ["%"]))
    screen.receive("load\r\n10 %\r20 %\r30 %\r\ndone\r\n")
    #expect(screen.text == "load\r\ndone\r\n")
    #expect(screen.filter.hiddenCount == 3)
    screen.receive("40 %")
    screen.receive("\r50 %")
    screen.receive("\r")
    screen.receive("x\r\n")
    #expect(screen.lines == ["load", "done", "x", ""])
  }

  // MARK: Equal lines

  @Test func equalLines_areShownOnceWithTheirNumber() throws {
    var screen = FilteredScreen(try rules(collapse: true))
    screen.receive("a\r\n")
    #expect(screen.lines == ["a"])
    screen.receive("a\r\n")
    #expect(screen.lines == ["a (×2)"])
    for _ in 3...12 { screen.receive("a\r\n") }
    #expect(screen.lines == ["a (×12)"])
    screen.receive("b\r\n\r\n\r\nc")
    #expect(screen.lines == ["a (×12)", "b", "", "", "c"])
    #expect(screen.filter.hiddenCount == 0)
  }

  @Test func theNumberIsWrittenOnceForAPiece() throws {
    var screen = FilteredScreen(try rules(collapse: true))
    screen.receive("a\r\na\r\na\r\n")
    #expect(screen.text == "a (×3)")
    var ascii = FilteredScreen(try rules(collapse: true), isASCII: true)
    ascii.receive("a\r\na\r\na\r\nb\r\n")
    #expect(ascii.text == "a (x3)\r\nb")
  }

  @Test(
    arguments: [
      "a\r\na\r\na\r\nb\r\n", "aaa\r\naaa\r\naab\r\naab\r\nc", "a\r\n\r\n\r\na\r\n",
      "\u{1B}[31ma\u{1B}[0m\r\n\u{1B}[31ma\u{1B}[0m\r\nb\r\nb", "a\r\r\na\r\r\nb\r\n",
      "10%\r20%\rdone\r\n",
    ])
  func equalLines_howeverTheStreamIsCut(_ text: String) throws {
    let bytes = Array(text.utf8)
    for isStamping in [false, true] {
      var whole = FilteredScreen(try rules(collapse: true), isStamping: isStamping)
      whole.receive(bytes)
      whole.pause()
      for pieces in cuts(of: bytes) {
        var cut = FilteredScreen(try rules(collapse: true), isStamping: isStamping)
        for piece in pieces { cut.receive(Array(piece)) }
        cut.pause()
        #expect(cut.cells == whole.cells, "\(pieces.map(\.count)) \(cut.text)")
        #expect(cut.screen.place.row == whole.screen.place.row)
        #expect(cut.screen.place.column == whole.screen.place.column)
        #expect(cut.screen.place.attributes == whole.screen.place.attributes)
      }
    }
  }

  @Test func theBeginningOfAnEqualLineWaitsForAPause() throws {
    var screen = FilteredScreen(try rules(collapse: true))
    screen.receive("# x\r\n# ")
    #expect(screen.lines == ["# x"])
    #expect(screen.filter.isWaiting)
    screen.pause()
    #expect(screen.lines == ["# x", "#"])
    #expect(!screen.filter.isWaiting)
    screen.receive("x\r\n")
    #expect(screen.lines == ["# x", "# x"])
  }

  @Test func hiddenLinesBetweenEqualOnes_doNotMatter() throws {
    var screen = FilteredScreen(try rules(hide: ["noise"], collapse: true))
    screen.receive("a\r\nnoise\r\na\r\nnoise\r\n")
    #expect(screen.lines == ["a (×2)"])
    #expect(screen.filter.hiddenCount == 2)
  }

  @Test func aNumberThatDoesNotFitTheRow_followsAtTheEnd() throws {
    var screen = FilteredScreen(try rules(collapse: true))
    screen.receive("seventeen columns\r\nseventeen columns\r\nseventeen columns\r\n")
    #expect(screen.lines == ["seventeen columns"])
    screen.receive("b")
    #expect(screen.lines == ["seventeen columns (×", "3)", "b"])
  }

  @Test func aMessageEndsTheEqualLines() throws {
    var screen = FilteredScreen(try rules(collapse: true))
    screen.receive("a\r\na\r\n")
    screen.program("the program says")
    screen.receive("a\r\nb\r\n")
    #expect(screen.lines == ["a (×2)", "the program says", "a", "b"])
  }

  @Test func whereNothingCanBeRewritten_theNumberFollowsAtTheEnd() throws {
    var screen = FilteredScreen(try rules(collapse: true), draws: false)
    screen.receive("a\r\na\r\n")
    screen.receive("a\r\n")
    #expect(screen.text == "a")
    screen.receive("b\r\n")
    #expect(screen.text == "a (×3)\r\nb")
    #expect(screen.filter.isWaiting)
    screen.pause()
    #expect(screen.text == "a (×3)\r\nb\r\n")
    screen.receive("b\r\nc\r\n")
    #expect(screen.text == "a (×3)\r\nb\r\nb\r\nc")
  }

  // MARK: Changes of the rules

  @Test func changedRulesApplyToTheUnfinishedLine() throws {
    var screen = FilteredScreen(try rules(level: .warning), columns: 40)
    screen.receive("a\r\nI (1) hid")
    #expect(screen.lines == ["a", ""])
    screen.filter.rules = LineRules()
    screen.receive("den\r\n")
    #expect(screen.lines == ["a", "I (1) hidden", ""])
    screen.receive("b\r\nnoi")
    screen.filter.rules = try rules(hide: ["noi"])
    screen.receive("se\r\nnoise\r\n")
    // Also to one whose beginning was shown without rules.
    #expect(screen.lines == ["a", "I (1) hidden", "b", ""])
    #expect(screen.filter.hiddenCount == 2)
  }

  @Test func withoutRules_theLineEndThatWasHeldBackFollows() throws {
    var screen = FilteredScreen(try rules(collapse: true))
    screen.receive("a\r\na\r\n")
    screen.filter.rules = LineRules()
    screen.receive("a\r\n")
    #expect(screen.lines == ["a (×2)", "a", ""])
    screen.receive("b")
    screen.receive("\r\n")
    #expect(screen.text.hasSuffix("a\r\nb\r\n"))
  }

  @Test func withoutRules_thePositionStaysKnown() throws {
    var screen = FilteredScreen(LineRules())
    screen.receive("a\u{1B}[31m\r")
    screen.receive("\n")
    screen.filter.rules = try rules(hide: ["noise"])
    screen.receive("noi")
    screen.receive("se\r\n")
    #expect(screen.lines == ["a", ""])
  }

  @Test func noLineIsLost_whileTheRulesChange() throws {
    var random = SplitMix64(seed: 1)
    let words = ["noise", "a", "b", "I (1) x", "E (2) y", "\r\n", "\r\n", "\n", "\r"]
    let choices = [
      LineRules(), try rules(show: ["a|b"]), try rules(hide: ["noise"]), try rules(level: .error),
    ]
    for _ in 0..<repetitions(500) {
      let text = (0..<30).map { _ in words.randomElement(using: &random) ?? "" }.joined() + "\r\n"
      var screen = FilteredScreen(LineRules(), draws: false)
      for byte in text.utf8 {
        if Int.random(in: 0..<10, using: &random) == 0 {
          screen.filter.rules = choices.randomElement(using: &random) ?? LineRules()
        }
        screen.receive([byte])
      }
      let hidden = screen.filter.hiddenCount
      screen.pause()
      func count(_ text: some Sequence<UInt8>) -> Int {
        text.split { $0 == 0x0A || $0 == 0x0D }.count
      }
      // Empty lines are hidden, too.
      #expect(count(screen.output) <= count(text.utf8))
      #expect(count(screen.output) + hidden >= count(text.utf8))
    }
  }

  // MARK: Limits

  @Test func aLongLineIsShownFromTheLimitOn() throws {
    for draws in [true, false] {
      var filter = FilteredScreen(try rules(show: ["never"]), draws: draws).filter
      let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000)
      var output: [UInt8] = []
      for _ in 0..<200 {
        filter.feed(part, into: &output)
        #expect(filter.waiting <= LineFilter.lineLimit)
      }
      filter.feed(Array("\r\nx\r\n".utf8), into: &output)
      #expect(output.count == 200_002)
      #expect(filter.hiddenCount == 1)
    }
  }

  @Test(
    arguments: [
      "\r", "\u{1B}[31m", "\u{1B}[31mnoise\r\n", "\u{1B}[?25lnoise\n", "x\r\r\r\r", "\n",
    ])
  func memoryIsBounded(_ text: String) throws {
    for draws in [true, false] {
      for collapses in [true, false] {
        let rules = try rules(hide: ["noise"], collapse: collapses)
        var filter = FilteredScreen(rules, draws: draws).filter
        var output: [UInt8] = []
        // More than the limit, in pieces of about a hundred bytes.
        let piece = Array(String(repeating: text, count: 100 / text.utf8.count).utf8)
        for _ in 0..<800 { filter.feed(piece, into: &output) }
        #expect(filter.waiting <= LineFilter.lineLimit + 2_048)
      }
    }
  }
}
