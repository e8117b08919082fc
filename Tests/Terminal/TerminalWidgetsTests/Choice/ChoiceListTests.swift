import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct ChoiceListTests {
  private static func list(_ titles: [String], refusing refused: [String] = []) -> ChoiceList<
    String
  > {
    ChoiceList(choices(titles, refusing: refused))
  }

  private static func choices(
    _ titles: [String], refusing refused: [String] = []
  ) -> [Choice<String>] {
    titles.map { Choice(id: $0, title: $0, refusal: refused.contains($0) ? "no device" : nil) }
  }

  @Test func emptyQuery_keepsTheOrder() {
    #expect(Self.list(["c", "a", "b"]).matching.map(\.id) == ["c", "a", "b"])
  }

  @Test func typing_filters_andBackspaceTakesItBack() {
    var list = Self.list(["send", "quit", "statistics"])
    #expect(list.type("st") == .changed)
    #expect(list.matching.map(\.id) == ["statistics"])
    #expect(list.handle(.named(.backspace)) == .changed)
    #expect(list.query == "s")
    #expect(list.matching.map(\.id) == ["send", "statistics"])
    #expect(list.handle(.control("u")) == .changed)
    #expect(list.matchCount == 3)
    #expect(list.handle(.control("u")) == .unchanged)
  }

  @Test func equals_stayInOrder() {
    var list = Self.list(["xa1", "xa2", "xa3"])
    list.type("a")
    #expect(list.matching.map(\.id) == ["xa1", "xa2", "xa3"])
  }

  @Test func words_mayComeInAnyOrder_andFromAnyText() {
    var list = ChoiceList([
      Choice(id: 1, label: "ttyUSB0", title: "FT232R", detail: "0403:6001"),
      Choice(id: 2, label: "ttyUSB1", title: "CP2102", detail: "10c4:ea60"),
    ])
    list.type("6001 usb")
    #expect(list.matching.map(\.id) == [1])
  }

  @Test func wholeLabel_comesFirst() {
    var list = ChoiceList([
      Choice(id: 1, label: "s", title: "show statistics"),
      Choice(id: 2, label: "b", title: "send a break"),
      Choice(id: 3, label: "x", title: "break"),
    ])
    list.type("b")
    #expect(list.matching.first?.id == 2)
  }

  @Test func list_startsAtThePresentValue_soThatEnterAloneKeepsIt() {
    let choices = ["5", "6", "7", "8"].map { Choice(id: $0, title: $0, isCurrent: $0 == "8") }
    var list = ChoiceList(choices)
    #expect(list.selected?.id == "8")
    list.type("7")
    #expect(list.selected?.id == "7")
    _ = list.handle(.named(.backspace))
    #expect(list.selected?.id == "8")
    #expect(list.handle(.named(.enter)) == .chosen("8"))
  }

  @Test func presentValue_isInView() {
    var list = ChoiceList((0..<30).map { Choice(id: $0, title: "\($0)", isCurrent: $0 == 20) })
    list.resize(visibleCount: 5)
    #expect((list.firstVisible..<list.firstVisible + 5).contains(20))
  }

  @Test func query_isBounded_alsoByAccentsOnOneLetter() {
    var list = Self.list(["e"])
    list.type("e" + String(repeating: "\u{301}", count: 5000))
    #expect(list.query.unicodeScalars.count == ChoiceList<String>.queryLimit)
    _ = list.handle(.paste(Array(repeating: UInt8(ascii: "x"), count: 4096)))
    #expect(list.query.unicodeScalars.count == ChoiceList<String>.queryLimit)
  }

  @Test func selection_goesRound_atTheEnds() {
    var list = Self.list(["a", "b", "c"])
    #expect(list.handle(.named(.up)) == .changed)
    #expect(list.selected?.id == "c")
    #expect(list.handle(.control("n")) == .changed)
    #expect(list.selected?.id == "a")
    list.handle([.named(.tab), .named(.down), .backTab])
    #expect(list.selected?.id == "b")
    list.handle([.named(.end)])
    #expect(list.selected?.id == "c")
    #expect(list.handle(.named(.pageDown)) == .unchanged)
    list.handle([.named(.home)])
    #expect(list.selected?.id == "a")
  }

  @Test func view_followsTheSelection() {
    var list = Self.list((1...10).map { "\($0)" })
    list.resize(visibleCount: 3)
    list.handle([.named(.down), .named(.down), .named(.down)])
    #expect(list.firstVisible == 1)
    list.handle([.named(.pageDown)])
    #expect((list.selection, list.firstVisible) == (6, 4))
    list.handle([.named(.up)])
    #expect(list.firstVisible == 4)
    list.handle([.named(.end)])
    list.resize(visibleCount: 5)
    #expect(list.firstVisible == 5)
  }

  @Test func enter_chooses() {
    var list = Self.list(["a", "b"])
    list.handle([.named(.down)])
    #expect(list.handle(.named(.enter)) == .chosen("b"))
  }

  @Test func disabledChoice_isRefusedWithItsReason_andTheListStaysOpen() {
    var list = Self.list(["a", "b"], refusing: ["a"])
    #expect(list.handle(.named(.enter)) == .refused("a", because: "no device"))
    #expect(list.refusal == "no device")
    #expect(list.handle(.named(.left)) == .changed)
    #expect(list.refusal == nil)
    #expect(list.handle(.named(.left)) == .unchanged)
  }

  @Test func refusal_endsWithItsReason() {
    var list = Self.list(["a"], refusing: ["a"])
    _ = list.handle(.named(.enter))
    list.update(Self.choices(["a"]))
    #expect(list.refusal == nil)
    #expect(list.handle(.named(.enter)) == .chosen("a"))
  }

  @Test(arguments: [Key.named(.escape), .control("c"), .control("g")])
  func leaving_cancels(key: Key) {
    var list = Self.list(["a"])
    list.type("a")
    #expect(list.handle(key) == .cancelled)
  }

  @Test func nothing_isChosen_whenNothingMatches() {
    var list = Self.list(["a"])
    list.type("x")
    #expect(list.selected == nil)
    #expect(list.handle(.named(.enter)) == .unchanged)
    #expect(list.handle(.named(.down)) == .unchanged)
  }

  @Test func paste_filtersByItsFirstLine() {
    var list = Self.list(["break", "quit"])
    #expect(list.handle(.paste(Array("br\u{7}e\rquit".utf8))) == .changed)
    #expect(list.query == "bre")
  }
}

extension ChoiceList {
  mutating func handle(_ keys: [Key]) { for key in keys { _ = handle(key) } }

  @discardableResult mutating func type(_ text: String) -> Outcome {
    text.unicodeScalars.map { handle(.character($0)) }.last ?? .unchanged
  }
}
