import Plotting
import Testing

@Suite(.timeLimit(.minutes(30))) struct SeriesNameTests {
  @Test func namesAreHarmlessAndShort() {
    let name = SeriesName("a\u{1B}[2J" + String(repeating: "b", count: 100), unit: "\u{202E}C")
    #expect(name.name == "a\u{FFFD}[2J" + String(repeating: "b", count: 59))
    #expect(name.unit == "\u{FFFD}C")
  }

  @Test func oneCharacterWithManyMarksIsShortened() {
    let name = SeriesName("e" + String(repeating: "\u{301}", count: 10_000))
    #expect(name.name.unicodeScalars.count == SeriesName.maximalLength)
  }
}
