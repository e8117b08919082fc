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

@Suite struct ContrastTests {
  @Test(
    "the colours of the palette have a contrast of 3.5 or more with black and with white",
    arguments: StyledLine.Style.Colour.allCases.filter { $0.code.hasPrefix("38;5;") })
  func colours(colour: StyledLine.Style.Colour) throws {
    let number = try #require(Int(colour.code.dropFirst("38;5;".count)))
    let luminance = try #require(Self.luminance(ofPaletteColour: number))
    // The definition of the contrast ratio in WCAG 2.2, with black and with white.
    #expect((luminance + 0.05) / 0.05 >= 3.5)
    #expect(1.05 / (luminance + 0.05) >= 3.5)
  }

  @Test func blueAndRed_areBrightOnBlack() throws {
    for colour in [StyledLine.Style.Colour.mediumBlue, .mediumRed] {
      let number = try #require(Int(colour.code.dropFirst("38;5;".count)))
      #expect((try #require(Self.luminance(ofPaletteColour: number)) + 0.05) / 0.05 >= 5)
    }
  }

  /// The relative luminance of WCAG 2.2 of a colour of the cube of 6 × 6 × 6 colours.
  private static func luminance(ofPaletteColour number: Int) -> Double? {
    guard (16...231).contains(number) else { return nil }
    let levels = [36, 6, 1].map { (number - 16) / $0 % 6 }
    let parts = levels.map { level -> Double in
      let value = level == 0 ? 0 : Double(55 + 40 * level) / 255
      return value <= 0.04045 ? value / 12.92 : Self.power((value + 0.055) / 1.055)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// A number to the power of 2.4: the fifth root of its twelfth power, by Newton's method.
  private static func power(_ base: Double) -> Double {
    let twelfth = (0..<12).reduce(1.0) { product, _ in product * base }
    return (0..<100).reduce(1.0) { root, _ in
      (4 * root + twelfth / (root * root * root * root)) / 5
    }
  }
}
