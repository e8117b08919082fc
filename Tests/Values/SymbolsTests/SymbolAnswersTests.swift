import Symbols
import Testing

@Suite struct SymbolAnswersTests {
  @Test func questionEndsWithTheMark() {
    #expect(SymbolAnswers.question(0x400D_1234) == "0x400d1234\n0xffffffff\n")
  }

  @Test func inlinedFrames() {
    let answers = answers(
      to: """
        0x400d1234
        inner
        /src/a.h:7 (discriminator 3)
        app_main
        /src/main.c:42
        0xffffffff
        ??
        ??:0
        """)
    #expect(answers.map(\.0) == [0x400D_1234])
    #expect(
      answers.map(\.1) == [
        [
          SourceFrame(function: "inner", place: "/src/a.h:7"),
          SourceFrame(function: "app_main", place: "/src/main.c:42"),
        ]
      ])
  }

  @Test func unknownAddressHasNoFrames() {
    let answers = answers(
      to: "0x00001000\n??\n??:0\n0xffffffff\n??\n??:0\n0x2000\nf\n??:?\n0xffffffff")
    #expect(answers.map(\.0) == [0x1000, 0x2000])
    #expect(answers.map(\.1) == [[], [SourceFrame(function: "f", place: nil)]])
  }

  @Test(arguments: [
    ("/src/main.c:42", true), ("C:\\src\\main.c:1 (discriminator 2)", true), ("??:0", false),
    ("??:?", false), ("crtstuff.c:?", false), ("main.c:0", false), ("main.c", false), ("", false),
    ("main.c:", false), ("main.c:-1", false), ("main.c:? (discriminator 3)", false),
  ])
  func aPlaceHasALine(_ place: String, _ isKnown: Bool) {
    let found = answers(to: "0x10\nf\n\(place)\n0xffffffff").first?.1
    #expect(found?.map(\.function) == ["f"])
    #expect((found?.first?.place != nil) == isKnown)
    // Neither a function nor a place.
    #expect(
      answers(to: "0x10\n??\n\(place)\n0xffffffff").first?.1.isEmpty == !isKnown)
  }

  @Test func anythingMayBePrinted() {
    #expect(answers(to: "rubbish\n\n0x\n0xzz\n0xffffffff\n0xffffffff\n").isEmpty)
    let long = "0x10\n" + String(repeating: "f\na.c:1\n", count: 1000) + "0xffffffff"
    #expect(answers(to: long).map(\.1.count) == [SymbolAnswers.maximumFrames])
    #expect(answers(to: "0x10\nf\n0xffffffff").map(\.1) == [[]])
  }

  private func answers(to output: String) -> [(UInt64, [SourceFrame])] {
    var reader = SymbolAnswers()
    return output.split(separator: "\n", omittingEmptySubsequences: false).compactMap {
      reader.receive($0.utf8)
    }
  }
}
