import Testing
import TextTools

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct StatusPartsTests {
  private static func part(_ forms: (String, Int)...) -> StatusParts.Part {
    StatusParts.Part(forms.map { (StyledLine($0.0), $0.1) })
  }

  /// A name that only becomes shorter, a text that goes first, one that goes later, and a hint.
  private static let parts = StatusParts(
    [
      part(("/dev/ttyUSB0", 5), ("ttyUSB0", StatusParts.always)),
      part(("log long-name.log", 20), ("log", 30)),
      part(("in 0 B/s", 10)),
    ], last: part(("ctrl-t ? help", 15), ("ctrl-t ?", 40)))

  @Test(
    "the heaviest forms are shown, and nothing is cut",
    arguments: [
      (60, "/dev/ttyUSB0  log long-name.log  in 0 B/s      ctrl-t ? help"),
      (52, "ttyUSB0  log long-name.log  in 0 B/s   ctrl-t ? help"),
      (45, "ttyUSB0  log long-name.log      ctrl-t ? help"),
      (40, "ttyUSB0  log long-name.log      ctrl-t ?"),
      (30, "ttyUSB0  log     ctrl-t ? help"), (20, "ttyUSB0     ctrl-t ?"), (10, "ttyUSB0   "),
      (7, "ttyUSB0"), (5, "ttyU…"), (1, "…"), (0, ""),
    ])
  func widths(width: Int, expected: String) {
    #expect(Self.parts.line(toWidth: width).text == expected)
  }

  @Test func everyWidth_isFilledExactly() {
    for width in 0...100 { #expect(Self.parts.line(toWidth: width).width == width) }
  }

  @Test func theLastPart_isAtTheRightEdge() {
    for width in 18...100 {
      let text = Self.parts.line(toWidth: width).text
      #expect(text.hasSuffix("  ctrl-t ?") || text.hasSuffix("  ctrl-t ? help"))
    }
  }

  @Test func aText_isOnePart() {
    #expect(StatusParts("sending").line(toWidth: 10).text == "sending   ")
    #expect(StatusParts("sending a file").line(toWidth: 10).text == "sending a…")
  }
}
