import Testing
import TextTools

@Suite struct WrittenTimeTests {
  @Test(arguments: [
    ("2", 2), ("0.5", 0.5), ("2s", 2), ("500ms", 0.5), ("1.5min", 90), ("1m", 60), ("2h", 7_200),
    ("1d", 86_400), ("0", 0), ("1e-05", 0.00001),
  ])
  func aTimeIsANumberWithAUnit_orOfSeconds(text: String, seconds: Double) {
    #expect(WrittenTime(text)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "s", "-1", "-1s", "+1s", "1e3s", "1 s", "1S", "1w", "1h30m", "nan", "inf", "1e400", "nans",
    "5sec", "٣s",
  ])
  func anotherTextIsNone(text: String) {
    #expect(WrittenTime(text) == nil)
  }

  @Test func aNumberAloneHasTheGivenUnit_orIsRefused() {
    #expect(WrittenTime("20", unit: 0.001)?.wholeMilliseconds == 20)
    #expect(WrittenTime("2s", unit: 0.001)?.wholeMilliseconds == 2_000)
    #expect(WrittenTime("0.3s")?.wholeMilliseconds == 300)
    #expect(WrittenTime("1.5", unit: 0.001)?.wholeMilliseconds == nil)
    #expect(WrittenTime("1e300")?.wholeMilliseconds == nil)
    #expect(WrittenTime("500", unit: nil) == nil)
  }
}
