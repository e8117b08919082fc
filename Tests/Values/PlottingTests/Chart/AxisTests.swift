import Plotting
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30))) struct AxisTests {
  private func texts(
    _ values: ClosedRange<Double>, _ count: Int, isLogarithmic: Bool = false
  ) -> [String] {
    let view = ChartView(times: 0...1, values: values, isLogarithmic: isLogarithmic)
    return Axis(valuesOf: view, atMost: count).ticks.map(\.text)
  }

  @Test(
    "ticks of values are round, with as many digits as needed",
    arguments: [
      (0...100, 6, "0 20 40 60 80 100"),
      (0...100, 3, "0 50 100"),
      (0...100, 11, "0 10 20 30 40 50 60 70 80 90 100"),
      (-1...1, 5, "-1.0 -0.5 0 0.5 1.0"),
      (-1...1, 1, "0"),
      (24.13...26.71, 6, "24.5 25.0 25.5 26.0 26.5"),
      (3...4, 1, "4"),
      (0...0, 5, "0"),
      (25.31...25.31, 5, "25.31"),
      (0...1_000_000, 3, "0 500000 1000000"),
      (0...30_000_000, 4, "0 1e7 2e7 3e7"),
      (0...2.5e-9, 3, "0 1e-9 2e-9"),
      (0...1e-308, 3, "0 5e-309 1e-308"),
      (0 ... .leastNonzeroMagnitude, 3, "0 5e-324"),
      (-1e308...1e308, 5, "-1e308 -5e307 0 5e307 1e308"),
      (-1.7e308...1.7e308, 3, "-1e308 0 1e308"),
      (1e15...1e15 + 1, 3, "1000000000000000.0 1000000000000000.5 1000000000000001.0"),
      (1_000_000...1_000_000.003, 4, "1000000.000 1000000.001 1000000.002 1000000.003"),
      (-.infinity...1, 5, ""),
      (0 ... .infinity, 5, ""),
      (0...1, 0, ""),
    ] as [(ClosedRange<Double>, Int, String)])
  func values(range: ClosedRange<Double>, count: Int, expected: String) {
    #expect(texts(range, count).joined(separator: " ") == expected)
  }

  @Test(
    "a logarithmic axis has ticks at powers of ten",
    arguments: [
      (0.01...1_000, 6, "0.01 0.1 1 10 100 1000"),
      (0.01...1_000, 3, "0.01 1 100"),
      (1e-12...1, 5, "1e-12 1e-9 1e-6 1e-3 1"),
      (1e-308...1e308, 3, "1e-200 1 1e200"),
      (2...8, 4, "2 4 6 8"),
      (2...80, 4, "20 40 60 80"),
      (0...50, 3, ""),
      (-10...(-1), 3, ""),
    ] as [(ClosedRange<Double>, Int, String)])
  func logarithmic(range: ClosedRange<Double>, count: Int, expected: String) {
    #expect(texts(range, count, isLogarithmic: true).joined(separator: " ") == expected)
  }

  @Test(
    "random ranges have few ticks, in the range, in order, with different texts that are their values"
  )
  func randomRanges() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<3_000 {
      let center = Double.random(in: -1...1, using: &random) * power(-300...300, &random)
      let width = max(center.magnitude, 1e-300) * power(-15...3, &random)
      let range = (center - width)...(center + width)
      let count = Int.random(in: 1...12, using: &random)
      let view = ChartView(times: 0...1, values: range)
      let ticks = Axis(valuesOf: view, atMost: count).ticks
      #expect(ticks.count <= count)
      #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0.position < $1.position })
      #expect(Set(ticks.map(\.text)).count == ticks.count)
      #expect(ticks.allSatisfy { range.contains($0.position) && Double($0.text) == $0.position })
      // A step of 1, 2 or 5 leaves at least a third of the room to ticks, unless the numbers are
      // not that dense.
      if width > center.magnitude * 1e-13 { #expect(ticks.count >= count / 3) }
    }
  }

  private func power(_ exponents: ClosedRange<Int>, _ random: inout SplitMix64) -> Double {
    Double("1e\(Int.random(in: exponents, using: &random))")!
  }

  // MARK: Times

  /// A clock an hour east of UTC, and from 2026-11-23 10:00 UTC on two hours east.
  private static func calendar(_ second: UInt64) -> CalendarTime {
    let offset = second < noon - 7_200 ? 3_600 : 7_200
    let local = Int(second) + offset
    // 2026-11-23 was 20,780 days after 1970-01-01. The tests stay within November.
    let day = local / 86_400 - 20_780 + 23
    return CalendarTime(
      year: 2026, month: 11, day: day, hour: local / 3_600 % 24, minute: local / 60 % 60,
      second: local % 60, offset: offset)
  }

  /// 2026-11-23 12:00 UTC.
  private static let noon: UInt64 = 20_780 * 86_400 + 12 * 3_600

  @Test(
    "ticks of a clock are round local times",
    arguments: [
      (0...10, 6, "14:00:00 14:00:02 14:00:04 14:00:06 14:00:08 14:00:10"),
      (0...60, 3, "14:00:00 14:00:30 14:01:00"),
      (5...300, 5, "14:01 14:02 14:03 14:04 14:05"),
      (0...7_200, 5, "14:00 14:30 15:00 15:30 16:00"),
      (0.1...0.45, 4, "14:00:00.1 14:00:00.2 14:00:00.3 14:00:00.4"),
      (0...0.002, 3, "14:00:00.000 14:00:00.001 14:00:00.002"),
      (32_400...46_800, 5, "23:00 11-24 01:00 02:00 03:00"),
      (0...259_200, 4, "11-24 11-25 11-26"),
      // The clock is set forward from 11:00 to 12:00.
      (-10_800...(-3_600), 5, "10:00 10:30 12:00 12:30 13:00"),
      (-10_800...(-3_600), 4, "10:00 12:00 13:00"),
      (-90_000...0, 5, "12:00 18:00 11-23 06:00 12:00"),
      (0...10, 0, ""),
    ] as [(ClosedRange<Double>, Int, String)])
  func clock(range: ClosedRange<Double>, count: Int, expected: String) {
    let noon = Double(Self.noon)
    let times = (noon + range.lowerBound)...(noon + range.upperBound)
    let axis = Axis(
      timesOf: ChartView(times: times, values: 0...1), atMost: count, calendar: Self.calendar)
    #expect(axis.ticks.map(\.text).joined(separator: " ") == expected)
    #expect(axis.ticks.allSatisfy { times.contains($0.position) })
  }

  @Test(
    "times that no clock shows have no ticks",
    arguments: [-5...5, 0...1e300, -.infinity...1] as [ClosedRange<Double>])
  func impossibleTimes(times: ClosedRange<Double>) {
    let view = ChartView(times: times, values: 0...1)
    #expect(Axis(timesOf: view, atMost: 5, calendar: Self.calendar).ticks == [])
  }

  @Test(
    "lines have whole numbers",
    arguments: [(0...3, "0 1 2 3"), (0.2...0.8, ""), (0...4e6, "0 2000000 4000000")]
      as [(ClosedRange<Double>, String)])
  func lines(times: ClosedRange<Double>, expected: String) {
    let view = ChartView(times: times, values: 0...1, timeKind: .lines)
    let axis = Axis(timesOf: view, atMost: 4, calendar: Self.calendar)
    #expect(axis.ticks.map(\.text).joined(separator: " ") == expected)
  }
}

@Suite(.timeLimit(.minutes(30))) struct ChartViewTests {
  @Test(
    "numbers have few digits",
    arguments: [
      (25.31, "25.31"), (0, "0"), (-0.0, "0"), (1.0 / 3, "0.333333"), (2.0 / 3, "0.666667"),
      (-2.0 / 3, "-0.666667"),
      (1e-9, "1e-9"), (-1.5e300, "-1.5e300"), (1_234_567, "1234567"), (123_456, "123456"),
      (0.1 + 0.2, "0.3"), (999_999.7, "1000000"), (1_234_567_890_123, "1.23457e12"), (.nan, "nan"),
      (-.infinity, "-inf"),
      (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.79769e308"),
    ] as [(Double, String)])
  func numbers(value: Double, text: String) {
    #expect(value.text() == text)
  }

  @Test(
    "the range around values ends at round numbers, and has a width",
    arguments: [
      (0...100, 0...100), (21.7...49.2, 20...50), (-0.3...0.7, -0.3...0.7),
      (0.31...0.69, 0.3...0.7),
      (-7_001...12, -8_000...1_000), (1e-7...3.2e-7, 1e-7...3.5e-7),
      (1e20...1.00000000000001e20, 1e20...1.00000000000001e20),
      (5...5, 4.5...5.5), (0...0, -1...1), (-2...(-2), -2.2...(-1.8)),
      (
        -.greatestFiniteMagnitude ... .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude ... .greatestFiniteMagnitude
      ),
    ] as [(ClosedRange<Double>, ClosedRange<Double>)])
  func ranges(values: ClosedRange<Double>, expected: ClosedRange<Double>) {
    #expect(ChartView.range(around: values) == expected)
  }

  @Test("any range lies within its round range, whose ends are ticks")
  func anyRange() {
    var random = SplitMix64(seed: 6)
    for _ in 0..<3_000 {
      let ends = (0..<2).map { _ in
        Double.random(in: -1...1, using: &random) * Double(
          "1e\(Int.random(in: -9...9, using: &random))")!
      }
      let values = ends.min()!...ends.max()!
      let range = ChartView.range(around: values)
      #expect(range.lowerBound <= values.lowerBound && range.upperBound >= values.upperBound)
      let length = values.upperBound - values.lowerBound
      #expect(range.upperBound - range.lowerBound <= length * 2)
      let ticks = Axis(valuesOf: ChartView(times: 0...1, values: range), atMost: 11).ticks
      #expect(ticks.first?.position == range.lowerBound, "\(values)")
      #expect(ticks.last?.position == range.upperBound, "\(values)")
    }
  }

  @Test(
    "the range of a logarithmic chart ends at decades, or at 2 and 5 within one",
    arguments: [
      (3...800, 1...1_000), (1...1_000, 1...1_000), (20...30, 20...50), (0.03...0.04, 0.02...0.05),
      (3...3, 0.1...100),
    ] as [(ClosedRange<Double>, ClosedRange<Double>)])
  func decades(values: ClosedRange<Double>, expected: ClosedRange<Double>) {
    #expect(ChartView.range(around: values, isLogarithmic: true) == expected)
  }

  @Test(
    "the range of a logarithmic chart has no zero",
    arguments: [
      1...1_000, 0...10, -5...(-1), .leastNonzeroMagnitude ... .leastNonzeroMagnitude,
      1e308...1e308, 0 ... .leastNonzeroMagnitude,
    ]
      as [ClosedRange<Double>])
  func logarithmicRanges(values: ClosedRange<Double>) {
    let range = ChartView.range(around: values, isLogarithmic: true)
    #expect(range.lowerBound > 0 && range.upperBound < .infinity)
    #expect(range.lowerBound < range.upperBound)
    if values.lowerBound > 0 { #expect(range.contains(values.lowerBound)) }
    if values.upperBound > 0 { #expect(range.contains(values.upperBound)) }
  }

  @Test("places are within the range, and lead back to their times")
  func places() {
    let view = ChartView(times: 100...200, values: 1...1_000, isLogarithmic: true)
    #expect(
      [99, 100, 149, 151, 200, 201].map { view.column(of: $0, columns: 10) } == [
        nil, 0, 4, 5, 9, nil,
      ])
    #expect([0, 1, 9, 11, 1_000].map { view.row(of: $0, rows: 3) } == [nil, 2, 2, 1, 0])
    #expect(view.time(ofColumn: 0, columns: 10) == 105)
    #expect(view.column(of: .nan, columns: 10) == nil)
    let all = ChartView(times: 0...1, values: -1.7e308...1.7e308)
    #expect([-1.7e308, -1e308, 1, 1e308].map { all.row(of: $0, rows: 4) } == [3, 3, 1, 0])
  }
}
