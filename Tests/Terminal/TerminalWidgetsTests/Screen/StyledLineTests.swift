import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct StyledLineTests {
  @Test func neighboursInOneStyle_areOneRun() {
    var line = StyledLine("a", .bold)
    line.append("b", .bold)
    line.append("")
    line.append("c")
    #expect(line.runs.map(\.text) == ["ab", "c"])
  }

  @Test func text_isMadeVisible() {
    #expect(StyledLine("a\u{1B}[2J").text == "a^[[2J")
  }

  @Test(arguments: [(9, "ab世c"), (5, "ab世c"), (4, "ab世"), (3, "ab"), (1, "a"), (0, ""), (-1, "")])
  func clipping_keepsWholeCharacters(width: Int, text: String) {
    var line = StyledLine("ab", .bold)
    line.append("世")
    line.append("c", .dimmed)
    #expect(line.clipped(toWidth: width).text == text)
  }

  @Test func styles_areSwitchedOnAndOff() {
    var script = TerminalScript()
    var line = StyledLine("a", [.bold, .reversed])
    line.append("b")
    script.write(line)
    #expect(String(decoding: script.bytes, as: UTF8.self) == "\u{1B}[1;7ma\u{1B}[0mb")
  }
}
