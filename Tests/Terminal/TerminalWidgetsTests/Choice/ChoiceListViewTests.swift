import TestSupport
import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct ChoiceListViewTests {
  private static let commands = [
    Choice(
      id: 1, label: "b", title: "send a break", refusal: "no device: waiting for /dev/ttyUSB0"),
    Choice(id: 2, label: "c", title: "show the configuration"),
    Choice(id: 3, label: "q", title: "quit", detail: "and close the port"),
  ]

  private static func text(
    of list: ChoiceList<Int>, rows: Int = 24, columns: Int, attributes: Bool = false
  ) -> [String] {
    let size = ScreenSize(rows: rows, columns: columns)
    return ChoiceListView(prompt: "command: ", on: size, usesAttributes: attributes)
      .content(of: list).lines.map(\.text)
  }

  @Test func wideScreen_hasRoomForAll() {
    var list = ChoiceList(Self.commands)
    _ = list.handle(.named(.down))
    #expect(
      Self.text(of: list, columns: 80) == [
        "command: " + String(repeating: " ", count: 21) + "3/3",
        "  b  send a break            (off: no device: waiting for /dev/ttyUSB0)",
        "> c  show the configuration",
        "  q  quit                    and close the port",
      ])
  }

  @Test func narrowScreen_shortensTitles_andKeepsTheReasonInView() {
    let lines = Self.text(of: ChoiceList(Self.commands), rows: 10, columns: 40)
    #expect(lines[1] == "> b  send a break       (off: no device…")
    #expect(lines[2] == "  c  show the configuration")
    #expect(
      Self.text(of: ChoiceList(Self.commands), rows: 5, columns: 20)[1] == "> b  send a…  (off:…")
  }

  @Test func narrowScreen_hasTheWholeReasonOfTheSelectedChoice_inTheLastLine() {
    let reason = "this port has no modem lines"
    var list = ChoiceList(
      (0..<9).map {
        Choice(
          id: $0, label: "\($0)", title: "pulse-line: pulse DTR or RTS",
          refusal: $0 == 1 ? reason : nil)
      })
    let view = ChoiceListView(prompt: "", on: ScreenSize(rows: 10, columns: 40))
    list.resize(visibleCount: view.visibleCount(of: list))
    #expect(view.content(of: list).lines.count == 5)
    #expect(view.content(of: list).lines.last?.text == "")
    _ = list.handle(.named(.down))
    #expect(view.content(of: list).lines.count == 5)
    #expect(view.content(of: list).lines.last?.text == "  off: \(reason)")
    // Every reason of a command fits in 40 columns.
    #expect(view.content(of: list).lines.allSatisfy { $0.width <= 40 })
    let wide = ChoiceListView(prompt: "", on: ScreenSize(rows: 10, columns: 80))
    list.resize(visibleCount: wide.visibleCount(of: list))
    #expect(wide.content(of: list).lines[2].text.contains("(off: \(reason))"))
    #expect(wide.content(of: list).lines.count == 5)
  }

  @Test(arguments: [80, 40, 20])
  func `A reason that its row cuts off is below the list in full`(_ columns: Int) {
    let reason =
      "expected a whole number from 50 to 4,000,000, or one of the names that the driver knows"
    var list = ChoiceList([
      Choice(id: 0, title: "a value that was typed, with its unit", refusal: reason),
      Choice(id: 1, title: "115200"),
    ])
    let view = ChoiceListView(prompt: "baud: ", on: ScreenSize(rows: 24, columns: columns))
    func below() -> [String] {
      list.resize(visibleCount: view.visibleCount(of: list))
      let lines = view.content(of: list).lines
      #expect(lines.allSatisfy { $0.width <= columns } && lines.count <= 12)
      return lines.dropFirst(3).map(\.text)
    }
    func words(_ lines: [String]) -> String {
      lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    }
    #expect(words(below()) == "off: \(reason)")
    #expect(list.handle(.named(.enter)) == .refused(0, because: reason))
    #expect(words(below()) == "off: \(reason)")
    _ = list.handle(.named(.down))
    #expect(words(below()) == "")
  }

  @Test func `A query that matches nothing says so, and names a few choices`() {
    var list = ChoiceList(Self.commands)
    for character in "zzz".unicodeScalars { _ = list.handle(.character(character)) }
    let names = Self.commands.map(\.title).joined(separator: ", ")
    for columns in [200, 40, 20] {
      let lines = Self.text(of: list, columns: columns)
      let whole = "  nothing matches: there is \(names)"
      let cut = String(whole.prefix(columns - 1)) + "…"
      #expect(lines[0].hasSuffix("0/3") && lines[1] == (whole.count <= columns ? whole : cut))
    }
    var many = ChoiceList((0..<13).map { Choice(id: $0, title: "\($0)") })
    many.replaceQuery("zzz")
    many.settle()
    #expect(Self.text(of: many, columns: 80)[1] == "  nothing matches")
  }

  @Test(arguments: [(24, 12), (40, 20), (80, 40), (10, 5), (5, 3), (3, 2), (2, 1), (1, 1)])
  func height_isHalfOfTheScreenAtMost_andFitsBelowTheCursor(rows: Int, height: Int) {
    let size = ScreenSize(rows: rows, columns: 80)
    #expect(ChoiceListView(prompt: "", on: size).height == height)
  }

  @Test func `What keys do is in the last line, as far as there is room`() {
    let keys = ["Enter runs", "Esc closes", "type to search"]
    func last(_ rows: Int, _ columns: Int) -> String? {
      let view = ChoiceListView(
        prompt: "", on: ScreenSize(rows: rows, columns: columns), keys: keys)
      var list = ChoiceList((0..<90).map { Choice(id: $0, title: "title \($0)") })
      list.resize(visibleCount: view.visibleCount(of: list))
      let content = view.content(of: list)
      #expect(content.lines.count == view.height)
      return content.lines.last?.text
    }
    #expect(last(24, 80) == "Enter runs · Esc closes · type to search")
    #expect(last(12, 40) == "Enter runs · Esc closes · type to search")
    #expect(last(12, 39) == "Enter runs · Esc closes")
    #expect(last(12, 9) == "  title 4")
    #expect(last(10, 80) == "  title 3")
  }

  @Test func `The selected row is marked over the whole width`() {
    var list = ChoiceList(Self.commands)
    _ = list.handle(.named(.down))
    let view = ChoiceListView(prompt: ":", on: ScreenSize(rows: 24, columns: 60))
    let lines = view.content(of: list).lines
    #expect(lines[2].width == 60 && lines[2].runs.allSatisfy { $0.style.contains(.reversed) })
    #expect(lines[3].width < 60 && !lines[3].runs.contains { $0.style.contains(.reversed) })
  }

  @Test func `A query that Enter takes says so where nothing matches`() {
    var list = ChoiceList(Self.commands)
    list.type("zzz")
    let view = ChoiceListView(prompt: ":", on: ScreenSize(rows: 24, columns: 60))
    let lines = view.content(of: list, takesTyped: true).lines.map(\.text)
    #expect(lines[1] == "  not in the list; Enter takes it as typed")
  }

  @Test func `A typed text shows what is wrong with it`() {
    let list = ChoiceList([Choice(id: 1, title: "T=(", refusal: "')' is missing", isTyped: true)])
    #expect(Self.text(of: list, columns: 80)[1] == "> T=(  (')' is missing)")
  }

  @Test func attributes_showTheSelection_disabledChoices_andMatches() {
    var list = ChoiceList(Self.commands)
    list.type("bre")
    let view = ChoiceListView(prompt: ":", on: ScreenSize(rows: 24, columns: 60))
    let row = view.content(of: list).lines[1]
    #expect(row.runs.allSatisfy { $0.style.isSuperset(of: [.reversed, .dimmed]) })
    #expect(row.runs.filter { $0.style.contains([.bold, .underlined]) }.map(\.text) == ["bre"])
    #expect(row.width <= 60)
    #expect(!row.text.contains(">"))
  }

  @Test func lines_areNoWiderThanTheirText_exceptTheSelectedOne() {
    let short = [Choice(id: 1, title: "one"), Choice(id: 2, title: "two", detail: "a detail")]
    let view = ChoiceListView(prompt: "number: ", on: ScreenSize(rows: 24, columns: 200))
    let lines = view.content(of: ChoiceList(short)).lines
    let selected = "  one" + String(repeating: " ", count: 195)
    #expect(
      lines.map(\.text) == ["number:                       2/2", selected, "  two  a detail"])
  }

  @Test func withoutAttributes_thereAreNone() {
    var list = ChoiceList(Self.commands)
    list.type("b")
    let view = ChoiceListView(
      prompt: ":", on: ScreenSize(rows: 24, columns: 60), usesAttributes: false)
    #expect(view.content(of: list).lines.flatMap(\.runs).allSatisfy { $0.style.isEmpty })
  }

  @Test func refusal_standsInTheHeader() {
    var list = ChoiceList(Self.commands)
    _ = list.handle(.named(.enter))
    let header = Self.text(of: list, columns: 60)[0]
    #expect(header.hasSuffix("no device: waiting for /dev/ttyUSB0"))
    #expect(header.hasPrefix("command:  "))
  }

  @Test func endOfALongQuery_staysInView() {
    var list = ChoiceList(Self.commands)
    list.type(String(repeating: "x", count: 100) + "end")
    let header = Self.text(of: list, columns: 30)[0]
    #expect(header.contains("xend "))
    #expect(header.hasSuffix("0/3"))
  }

  @Test func cursor_isBehindTheQuery() {
    var list = ChoiceList(Self.commands)
    let view = ChoiceListView(prompt: "世: ", on: ScreenSize(rows: 24, columns: 60))
    #expect(view.content(of: list).cursorColumn == 4)
    list.type("e世")
    #expect(view.content(of: list).cursorColumn == 7)
  }

  @Test func view_showsTheRowsThatAreInView() {
    var list = ChoiceList((0..<30).map { Choice(id: $0, title: "title \($0)") })
    let view = ChoiceListView(prompt: "", on: ScreenSize(rows: 10, columns: 40))
    list.resize(visibleCount: view.visibleCount(of: list))
    _ = list.handle(.named(.end))
    #expect(view.content(of: list).lines.dropFirst().first?.text == "  title 26")
    #expect(view.content(of: list).lines.count == 5)
  }

  @Test func lines_areNeverWiderThanTheScreen_orMoreThanFit() {
    var chance = Chance(seed: 8)
    for _ in 0..<repetitions(500) {
      let texts = ["", "a", "世界世界", "a long text with words in it", "\u{1B}[2J", "👨‍👩‍👧e\u{301}"]
      let text = { (chance: inout Chance) in texts[chance.number(0...5)] }
      var list = ChoiceList(
        (0..<chance.number(0...20)).map {
          Choice(
            id: $0, label: text(&chance), title: text(&chance), detail: text(&chance),
            refusal: chance.number(0...2) == 0 ? text(&chance) : nil)
        })
      let size = ScreenSize(rows: chance.number(1...30), columns: chance.number(1...60))
      let view = ChoiceListView(
        prompt: text(&chance), on: size, usesAttributes: chance.number(0...1) == 0)
      list.resize(visibleCount: view.visibleCount(of: list))
      for _ in 0..<5 {
        _ = list.handle(chance.key())
        let content = view.content(of: list)
        let lines = content.lines
        #expect((0..<size.columns).contains(content.cursorColumn ?? -1))
        #expect(lines.count <= view.height)
        #expect(lines.allSatisfy { $0.width <= size.columns })
        #expect(!lines.contains { $0.text.contains("\u{1B}") })
      }
    }
  }
}
