import Scrollback
import TerminalWidgets
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct SearchPanelTests {
  private let scrollback = Scrollback(capacity: 1 << 20)

  private func add(_ text: String) {
    Array(text.utf8).withUnsafeBytes { scrollback.add($0, at: 1_000_000_000) }
  }

  /// A panel that has searched all lines.
  private func panel(typing text: String = "") -> SearchPanel {
    var panel = SearchPanel(on: scrollback)
    press(text.unicodeScalars.map { .character($0) }, in: &panel)
    return panel
  }

  @discardableResult
  private func press(_ keys: [Key], in panel: inout SearchPanel) -> SearchPanel.Outcome? {
    var outcome: SearchPanel.Outcome?
    for key in keys {
      outcome = panel.handle(key)
      panel.isComplete = panel.search.search()
    }
    return outcome
  }

  private func content(
    _ panel: inout SearchPanel, rows: Int = 8, columns: Int = 80
  ) -> [StyledLine] {
    panel.isComplete = panel.search.search()
    return panel.content(on: ScreenSize(rows: rows, columns: columns), usesAttributes: true).lines
  }

  /// The rows between the first and the last one: the mark of the selected row, and the text
  /// after the time.
  private func rows(_ panel: inout SearchPanel, rows: Int = 8, columns: Int = 80) -> [String] {
    content(&panel, rows: rows, columns: columns).dropFirst().dropLast().map {
      let text = $0.text
      let isTimed = columns >= 40
      return "\(text.prefix(1))\(text.dropFirst(isTimed ? "> 00:00:01.000".count : 1))"
    }
  }

  @Test func matches_areListedAsTheExpressionIsTyped_newestAtTheBottom() {
    for number in 1...9 { add("\(number % 3 == 0 ? "Error" : "info") \(number)\n") }
    var panel = panel()
    #expect(rows(&panel) == [" info 5", " Error 6", " info 7", " info 8", ">Error 9"])
    press([.character("e"), .character("r")], in: &panel)
    #expect(rows(&panel) == [" Error 3", " Error 6", ">Error 9"])
    #expect(content(&panel)[0].text.contains("3 matches"))
    press([.character("$")], in: &panel)
    #expect(rows(&panel) == [])
    press([.named(.backspace), .named(.backspace)], in: &panel)
    #expect(rows(&panel).count == 3)
  }

  @Test func capitals_matchOnlyCapitals() {
    add("Error\nerror\nTERROR\n")
    for (text, lines) in [
      ("error", 3), ("Error", 1), ("ERR", 1), (#"\Berr"#, 1), (#"^e\Sr"#, 2), ("(?i)Error", 3),
    ] {
      var panel = panel(typing: text)
      #expect(rows(&panel).count == lines, "/\(text)/")
    }
  }

  @Test func anExpressionThatIsNotComplete_saysWhy_andKeepsTheMatches() {
    add("one (1)\ntwo (2)\nthree\n")
    var panel = panel(typing: "o")
    press([.character("(")], in: &panel)
    #expect(content(&panel)[0].text.contains("unmatched '('"))
    #expect(rows(&panel) == [" one (1)", ">two (2)"])
  }

  @Test func arrows_selectMatches_andTheListFollows() {
    for number in 1...20 { add("line \(number)\n") }
    var panel = panel(typing: "line")
    #expect(rows(&panel).last == ">line 20")
    press(Array(repeating: .named(.up), count: 6), in: &panel)
    #expect(rows(&panel) == [">line 14", " line 15", " line 16", " line 17", " line 18"])
    press([.named(.down)], in: &panel)
    #expect(rows(&panel) == [" line 14", ">line 15", " line 16", " line 17", " line 18"])
    press([.named(.pageUp), .named(.pageUp), .named(.pageUp), .named(.pageUp)], in: &panel)
    #expect(rows(&panel).first == ">line 1")
    press([.named(.up)], in: &panel)
    #expect(rows(&panel).first == ">line 1")
  }

  @Test func enter_showsTheLinesAroundAMatch() {
    for number in 1...20 { add("line \(number)\n") }
    var panel = panel(typing: "line 1[15]$")
    _ = content(&panel)
    press([.named(.up), .named(.enter)], in: &panel)
    #expect(rows(&panel) == [" line 9", " line 10", ">line 11", " line 12", " line 13"])
    #expect(content(&panel)[0].text == "line 11 of 20, match 1 of 2 of /line 1[15]$/")
    press([.character("n")], in: &panel)
    #expect(rows(&panel).last == ">line 15")
    press([.character("n")], in: &panel)
    #expect(rows(&panel).last == ">line 15")
    press([.character("k"), .character("N"), .character("g")], in: &panel)
    #expect(rows(&panel).first == ">line 1")
    #expect(content(&panel)[0].text.hasPrefix("line 1 of 20, 2 matches"))
    press([.character("G")], in: &panel)
    #expect(rows(&panel).last == ">line 20")
    #expect(press([.character("w")], in: &panel) == .write)
    #expect(press([.character("/")], in: &panel) == .changed)
    #expect(press([.named(.escape)], in: &panel) == .closed)
  }

  @Test func newText_isCounted_andFollowedOnlyAtTheEnd() {
    for number in 1...9 { add("line \(number)\n") }
    var panel = panel()
    add("line 10\n")
    #expect(rows(&panel).last == ">line 10")
    #expect(content(&panel).last?.text.contains("8 bytes came meanwhile.") == true)
    press([.named(.up)], in: &panel)
    add("line 11\n")
    #expect(rows(&panel) == [" line 6", " line 7", " line 8", ">line 9", " line 10"])
  }

  @Test func droppedLines_areReported_andTheSelectionMovesToTheKeptOnes() {
    add("first\n")
    var panel = panel(typing: "first|line")
    press([.named(.enter), .character("g")], in: &panel)
    for number in 0..<150_000 { add("line \(number)\n") }
    let rows = rows(&panel)
    #expect(scrollback.droppedByteCount > 0)
    #expect(rows.first?.hasPrefix(">line ") == true)
    #expect(content(&panel, columns: 120).last?.text.contains("older bytes dropped") == true)
  }

  @Test func aMatch_isSetOff_andInView() {
    add(String(repeating: "abcdefghij", count: 30) + "needle\n")
    var panel = panel(typing: "needle")
    let row = content(&panel)[1]
    #expect(row.width <= 80)
    #expect(row.runs.contains { $0.text == "needle" && $0.style == [.bold, .underlined] })
    press([.named(.enter)], in: &panel)
    #expect(!content(&panel)[1].text.contains("needle"))
    press(Array(repeating: .named(.right), count: 13), in: &panel)
    #expect(content(&panel)[1].text.contains("needle"))
  }

  @Test(arguments: [1, 2, 3, 4, 24], [1, 2, 10, 39, 40, 200])
  func noScreen_isTooSmall(_ rows: Int, _ columns: Int) {
    add("a line with 漢字 and\ta tab \u{1B}[31mand colour\n" + String(repeating: "x", count: 300))
    for text in ["", "漢", "x{90}", "("] {
      var panel = panel(typing: text)
      for mode in 0...1 {
        if mode == 1 { press([.named(.enter)], in: &panel) }
        let lines = content(&panel, rows: rows, columns: columns)
        #expect(lines.count <= max(2, rows))
        #expect(lines.allSatisfy { $0.width <= columns })
      }
    }
  }
}
