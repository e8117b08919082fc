import Testing

@testable import Loopback

@Suite(.timeLimit(.minutes(5))) struct NumberStreamTests {
  @Test(arguments: [
    (0, 1, "0.0"), (5, 1, "0.5"), (-5, 1, "-0.5"), (253, 1, "25.3"), (-1_000, 3, "-1.000"),
    (7, 3, "0.007"), (-125, 3, "-0.125"),
  ])
  func decimal_putsThePoint(number: Int, places: Int, text: String) {
    #expect(decimal(number, places: places) == text)
  }
}
