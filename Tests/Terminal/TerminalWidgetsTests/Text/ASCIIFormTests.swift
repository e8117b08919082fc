import Testing
import TextTools

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct ASCIIFormTests {
  @Test(arguments: ["", "plain", "a long te…", "世界 grün", "e\u{301} 👨‍👩‍👧", "\u{FFFD}"])
  func text_isASCII_andAsWide(text: String) {
    #expect(text.asciiForm.utf8.allSatisfy { $0 < 0x80 })
    #expect(text.asciiForm.displayWidth == text.displayWidth)
  }

  @Test func line_keepsItsStyles() {
    var line = StyledLine("grün", .bold)
    line.append(" more…", .dimmed)
    #expect(line.asciiForm.runs.map(\.text) == ["gr?n", " more~"])
    #expect(line.asciiForm.runs.map(\.style) == [.bold, .dimmed])
  }

  @Test func statusLine_isASCII() {
    var status = StatusLine(isASCII: true)
    let bytes = status.enable(on: ScreenSize(rows: 5, columns: 8), StatusParts("grün and more"))
    #expect(String(decoding: bytes, as: UTF8.self).contains("gr?n an~"))
  }
}
