import Testing
import TextTools

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("\u{301}", 0), ("世界", 4), ("ｱ", 1),
    ("Ａ", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("😀", 2), ("❤", 1), ("❤\u{FE0F}", 2),
    ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("\u{1F1E9}", 1), ("👍🏽", 2), ("\u{200B}", 0), ("\u{7}", 0), ("…", 1),
    ("\u{AD}", 1), ("ไทย", 3), ("\u{303F}", 1), ("。", 2),
  ])
  func text_takesTheColumnsThatATerminalGivesIt(text: String, columns: Int) {
    #expect(text.displayWidth == columns)
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("abcd", 0, ""), ("abcd", -1, ""),
    ("世界世", 6, "世界世"), ("世界世", 5, "世界…"), ("世界世", 4, "世…"), ("世界", 1, "…"),
    ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func truncation_keepsWholeCharacters_andMarksTheCut(text: String, width: Int, result: String) {
    #expect(text.truncated(toWidth: width) == result)
  }

  @Test func truncation_neverTakesMoreThanItMay() {
    var chance = Chance(seed: 2)
    let characters: [Character] = ["a", "世", "e\u{301}", "👨‍👩‍👧", "\u{200B}", "🇩🇪"]
    for _ in 0..<500 {
      let text = String((0..<chance.number(0...12)).map { _ in characters[chance.number(0...5)] })
      for width in 0...14 {
        let result = text.truncated(toWidth: width)
        #expect(result.displayWidth <= width)
        #expect(text.displayWidth > width || result == text)
      }
    }
  }

  @Test(arguments: [
    ("abc é世", "abc é世"), ("a\tb\u{1B}[2J", "a^Ib^[[2J"), ("\u{7F}\u{85}", "^?\u{FFFD}"),
    ("a\u{202E}b\u{2028}", "a\u{FFFD}b\u{FFFD}"), ("👨‍👩‍👧", "👨‍👩‍👧"),
  ])
  func visibleForm_leavesNothingForATerminalToObey(text: String, result: String) {
    #expect(text.visibleForm == result)
  }
}
