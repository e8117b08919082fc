import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct PlainListTests {
  @Test(arguments: ["\(Int.min)", "\(Int.max)", "-1", "0"])
  func numberThatNoChoiceHas_isAskedForAgain(_ text: String) {
    #expect(Self.list.answer(text) == .unchanged)
  }

  private static let list = PlainList([
    Choice(id: "a", label: "ttyUSB0", title: "FT232R", detail: "0403:6001"),
    Choice(id: "b", label: "ttyS0", title: "serial port", refusal: "in use"),
    Choice(id: "c", title: "none"),
  ])

  @Test func lines_areNumbered() {
    #expect(
      Self.list.lines() == [
        "1) ttyUSB0 FT232R       0403:6001", "2) ttyS0   serial port  (off: in use)",
        "3)         none",
      ])
    #expect(Self.list.lines(width: 12)[0] == "1) ttyUSB0 …")
  }

  @Test(arguments: [
    ("1", ChoiceList<String>.Outcome.chosen("a")), (" 3\r\n", .chosen("c")),
    ("2", .refused("b", because: "in use")), ("", .cancelled), ("  ", .cancelled),
    ("0", .unchanged), ("4", .unchanged), ("x", .unchanged), ("-1", .unchanged),
  ])
  func answer_isANumber_orNothing(text: String, outcome: ChoiceList<String>.Outcome) {
    #expect(Self.list.answer(text) == outcome)
  }
}
