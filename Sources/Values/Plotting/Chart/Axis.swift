import TextTools
public import Time

/// The ticks of an axis: round values with texts that are as long as needed to tell them apart.
public struct Axis: Hashable, Sendable {
  /// A marked place.
  public struct Tick: Hashable, Sendable {
    /// The value, or the time.
    public let position: Double
    /// The text at the place.
    public let text: String
  }

  /// The ticks, in ascending order. There are none if the range is not finite, or has no logarithm.
  public let ticks: [Tick]

  /// The number of characters of the longest text.
  public var textWidth: Int { ticks.map(\.text.count).max() ?? 0 }

  /// Creates the axis of the values of a view.
  ///
  /// - Parameters:
  ///   - view: the view. Its ticks are multiples of 1, 2 or 5 times a power of ten. If it is
  ///     logarithmic and has several decades, they are powers of ten.
  ///   - count: the maximum number of ticks.
  public init(valuesOf view: ChartView, atMost count: Int) {
    let decades = view.isLogarithmic ? Self.decades(in: view.values, atMost: count) : []
    let numbers = decades.count > 1 ? decades : Self.multiples(in: view.values, atMost: count)
    ticks = view.isLogarithmic && view.values.lowerBound <= 0 ? [] : Self.ticks(numbers)
  }

  /// Creates the axis of the times of a view.
  ///
  /// - Parameters:
  ///   - view: the view. The times of a clock have ticks at round seconds, minutes, hours and days
  ///     of local time; at midnight, the text is the month and the day. Seconds have round numbers,
  ///     and lines whole ones.
  ///   - count: the maximum number of ticks.
  ///   - calendar: converts seconds since 1970-01-01 UTC to local time, like `localtime_r`.
  public init(
    timesOf view: ChartView, atMost count: Int, calendar: (_ second: UInt64) -> CalendarTime
  ) {
    switch view.timeKind {
    case .lines:
      ticks = Self.ticks(Self.multiples(in: view.times, atMost: count, finest: 0))
    case .seconds:
      ticks = Self.ticks(Self.multiples(in: view.times, atMost: count))
    case .clock:
      ticks = Self.clockTicks(in: view.times, atMost: count, calendar)
    }
  }

  private static func ticks(_ numbers: [DecimalNumber]) -> [Tick] {
    zip(numbers, DecimalNumber.texts(of: numbers)).map {
      Tick(position: $0.value, text: $1)
    }
  }

  // MARK: Values

  /// The multiples of a round step in a range.
  ///
  /// - Parameters:
  ///   - range: the range.
  ///   - count: the maximum number of multiples.
  ///   - finest: the least power of ten that the step can have.
  private static func multiples(
    in range: ClosedRange<Double>, atMost count: Int, finest: Int = -400
  ) -> [DecimalNumber] {
    guard range.lowerBound.isFinite, range.upperBound.isFinite, count > 0 else { return [] }
    if range.lowerBound == range.upperBound { return [DecimalNumber(range.lowerBound)] }
    // The calculation is far from the least and greatest numbers, where it would lose
    // digits or overflow.
    let greatest = max(range.lowerBound.magnitude, range.upperBound.magnitude)
    let shift = greatest > 1e200 ? -150 : (greatest < 1e-150 ? 150 : 0)
    let lower = range.lowerBound * powerOfTen(shift)
    let upper = range.upperBound * powerOfTen(shift)
    // Two numbers that differ have a distance of an ulp or more. A smaller step would give the
    // same number twice.
    let ulp = greatest.ulp * powerOfTen(shift)
    let least = max((upper - lower) / Double(count + 1), ulp)
    var exponent = max(Int((logarithm2(least) / logarithm2(10)).rounded(.down)) - 1, finest + shift)
    // Ticks at both ends are preferred to more ticks.
    var most: [DecimalNumber]?
    while true {
      for factor in [1, 2, 5] {
        let first = (lower * powerOfTen(-exponent) / Double(factor)).rounded(.down)
        let last = (upper * powerOfTen(-exponent) / Double(factor)).rounded(.up)
        guard last - first <= Double(count + 2), Double(factor) * powerOfTen(exponent) > ulp
        else {
          continue
        }
        let found = (Int(first)...Int(last)).map {
          DecimalNumber($0 * factor, exponent: exponent - shift)
        }.filter { range.contains($0.value) }
        guard found.count <= count else { continue }
        if found.first?.value == range.lowerBound, found.last?.value == range.upperBound {
          return found
        }
        let best = most ?? found
        if found.count <= 3 { return best }
        most = best
      }
      exponent += 1
    }
  }

  /// The most steps between the ends of a range that was made round.
  private static let mostSteps = 10.0

  /// The smallest range around another one whose ends are multiples of a round step. Its length is
  /// at most ten steps. A range whose numbers have too many digits for that is returned as it is.
  static func roundRange(around range: ClosedRange<Double>) -> ClosedRange<Double> {
    let span = range.upperBound - range.lowerBound
    let greatest = max(range.lowerBound.magnitude, range.upperBound.magnitude)
    guard span.isFinite, (1e-290...1e290).contains(greatest), span > greatest * 1e-12 else {
      return range
    }
    var exponent = Int((logarithm2(span / mostSteps) / logarithm2(10)).rounded(.down)) - 1
    while true {
      for factor in [1, 2, 5] {
        let step = DecimalNumber(factor, exponent: exponent).value
        var first = Int((range.lowerBound / step).rounded(.down))
        var last = Int((range.upperBound / step).rounded(.up))
        func value(_ multiple: Int) -> Double {
          DecimalNumber(multiple * factor, exponent: exponent).value
        }
        // The division may have rounded over a multiple.
        if value(first + 1) <= range.lowerBound { first += 1 }
        if value(first) > range.lowerBound { first -= 1 }
        if value(last - 1) >= range.upperBound { last -= 1 }
        if value(last) < range.upperBound { last += 1 }
        if Double(last - first) <= mostSteps { return value(first)...value(last) }
      }
      exponent += 1
    }
  }

  /// The smallest range around another one whose ends are powers of ten, or 2 and 5 times them if
  /// the range has less than a decade. One that no numbers are around is returned as it is.
  static func roundDecades(around range: ClosedRange<Double>) -> ClosedRange<Double> {
    let isWide = range.upperBound / 10 >= range.lowerBound
    let exponents = [range.lowerBound, range.upperBound].map {
      Int((logarithm2($0) / logarithm2(10)).rounded(.down))
    }
    let ends = (exponents[0] - 1...exponents[1] + 1).flatMap { exponent in
      (isWide ? [1] : [1, 2, 5]).map { DecimalNumber($0, exponent: exponent).value }
    }
    guard let lower = ends.last(where: { $0 <= range.lowerBound }), lower > 0,
      let upper = ends.first(where: { $0 >= range.upperBound }), upper.isFinite, lower < upper
    else { return range }
    return lower...upper
  }

  /// The powers of ten in a range; every second, third … of them if there are too many.
  private static func decades(in range: ClosedRange<Double>, atMost count: Int) -> [DecimalNumber] {
    guard range.lowerBound > 0, range.upperBound.isFinite, count > 0 else { return [] }
    let ends = [range.lowerBound, range.upperBound].map { logarithm2($0) / logarithm2(10) }
    let exponents = (Int(ends[0]) - 2...Int(ends[1]) + 2).filter {
      range.contains(DecimalNumber(1, exponent: $0).value)
    }
    let distances = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000]
    let distance =
      distances.first { distance in
        exponents.count { $0 % distance == 0 } <= count
      } ?? 1
    return exponents.filter { $0 % distance == 0 }.map { DecimalNumber(1, exponent: $0) }
  }

  /// A power of ten, correctly rounded.
  private static func powerOfTen(_ exponent: Int) -> Double { Double("1e\(exponent)") ?? .infinity }

  // MARK: Times

  /// The steps of a clock from a second on, in seconds.
  private static let clockSteps: [Int] = {
    let day = 86_400
    let round = [1, 2, 5, 10, 15, 30]
    return round + round.map { $0 * 60 } + [1, 2, 3, 6, 12].map { $0 * 3_600 }
      + [1, 2, 7, 14, 28, 91, 182, 365, 3_650, 36_500, 365_000].map { $0 * day }
  }()

  private static func clockTicks(
    in times: ClosedRange<Double>, atMost count: Int, _ calendar: (UInt64) -> CalendarTime
  ) -> [Tick] {
    // The years 1970 to 9999.
    let known = 0.0...253_402_300_799
    guard count > 0, known.contains(times.lowerBound), known.contains(times.upperBound) else {
      return []
    }
    // Fractions of a second, as numbers of microseconds: seconds since 1970 are not known finer.
    for digits in stride(from: 6, through: 1, by: -1) {
      let unit = (0..<6 - digits).reduce(1) { unit, _ in unit * 10 }
      for factor in [1, 2, 5] {
        let ticks = fractionTicks(every: unit * factor, in: times, atMost: count) { tick in
          let time = calendar(UInt64(tick / 1_000_000))
          return "\(time.clock).\((tick % 1_000_000 / unit).padded(to: digits))"
        }
        if let ticks { return ticks }
      }
    }
    for step in clockSteps {
      let width = times.upperBound - times.lowerBound
      guard width / Double(step) <= Double(count + 1) else { continue }
      let ticks = clockTicks(every: step, in: times, calendar)
      if ticks.count <= count { return ticks }
    }
    return []
  }

  /// The ticks at multiples of a number of microseconds; nil if there are too many.
  private static func fractionTicks(
    every step: Int, in times: ClosedRange<Double>, atMost count: Int, text: (Int) -> String
  ) -> [Tick]? {
    let first = (times.lowerBound * 1e6 / Double(step)).rounded(.down)
    let last = (times.upperBound * 1e6 / Double(step)).rounded(.up)
    guard last - first <= Double(count + 2) else { return nil }
    let found = (Int(first)...Int(last)).map { $0 * step }.filter {
      times.contains(Double($0) / 1e6)
    }
    guard found.count <= count else { return nil }
    return found.map { Tick(position: Double($0) / 1e6, text: text($0)) }
  }

  private static func clockTicks(
    every step: Int, in times: ClosedRange<Double>, _ calendar: (UInt64) -> CalendarTime
  ) -> [Tick] {
    func offset(at second: Int) -> Int { calendar(UInt64(max(second, 0))).offset }
    // A local time as seconds since 1970, which a step of an hour or a day divides as the clock on
    // the wall does.
    let first = Int(times.lowerBound) + offset(at: Int(times.lowerBound))
    var local = first - first % step - step
    var ticks: [Tick] = []
    while true {
      defer { local += step }
      // The offset can change in the range, and it is that at the tick which counts.
      let guess = local - offset(at: local - offset(at: local))
      let second = local - offset(at: guess)
      if Double(second) > times.upperBound { return ticks }
      guard Double(second) >= times.lowerBound, Double(second) > ticks.last?.position ?? -1 else {
        continue
      }
      let time = calendar(UInt64(second))
      let text =
        if step >= 365 * 86_400 {
          "\(time.year)-\(time.month.padded(to: 2))"
        } else if step >= 86_400 || (time.hour, time.minute, time.second) == (0, 0, 0) {
          "\(time.month.padded(to: 2))-\(time.day.padded(to: 2))"
        } else if step >= 60 {
          time.hourAndMinute
        } else {
          time.clock
        }
      ticks.append(Tick(position: Double(second), text: text))
    }
  }
}

extension CalendarTime {
  /// Hours and minutes.
  fileprivate var hourAndMinute: String { "\(hour.padded(to: 2)):\(minute.padded(to: 2))" }

  /// Hours, minutes and seconds.
  var clock: String { "\(hourAndMinute):\(second.padded(to: 2))" }

  /// Year, month and day.
  var date: String { "\(year)-\(month.padded(to: 2))-\(day.padded(to: 2))" }
}
