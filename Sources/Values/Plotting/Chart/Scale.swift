/// Where a value is within a range, as a fraction.
struct Scale: Sendable {
  private let lower: Double
  private let width: Double
  private let isLogarithmic: Bool

  /// Creates a scale on which the range goes from 0 to 1.
  init(_ range: ClosedRange<Double>, isLogarithmic: Bool = false) {
    self.isLogarithmic = isLogarithmic
    lower = Self.place(of: range.lowerBound, isLogarithmic)
    width = Self.place(of: range.upperBound, isLogarithmic) - lower
  }

  /// Whether both ends of the range have a place on the scale: they are finite, and greater than 0
  /// if it is logarithmic.
  var isValid: Bool { lower.isFinite && width.isFinite }

  /// The place of a value: from 0 to 1 within the range, less or greater outside of it; minus
  /// infinity if the value has no logarithm. Everything is in the middle of a range without width.
  func fraction(of value: Double) -> Double {
    let place = Self.place(of: value, isLogarithmic)
    guard width > 0 else { return place == lower ? 0.5 : (place < lower ? -.infinity : .infinity) }
    return (place - lower) / width
  }

  /// The value at a place.
  func value(at fraction: Double) -> Double {
    let place = lower + fraction * width
    return isLogarithmic ? exponential2(place) : place * 2
  }

  /// Halves are used because the distance of two numbers can be greater than the greatest number.
  private static func place(of value: Double, _ isLogarithmic: Bool) -> Double {
    isLogarithmic ? logarithm2(value) : value / 2
  }
}

/// The logarithm to base 2, without a C library: minus infinity for 0 and less, exact for powers of
/// 2, and correct to about 15 digits.
func logarithm2(_ value: Double) -> Double {
  guard value > 0 else { return -.infinity }
  guard value.isFinite else { return value }
  var exponent = Double(value.exponent)
  var significand = value.significand
  if significand > 1.4142135623730951 {
    significand /= 2
    exponent += 1
  }
  // ln x = 2 artanh((x - 1) / (x + 1)), as a series. The quotient is less than 0.172.
  let quotient = (significand - 1) / (significand + 1)
  let square = quotient * quotient
  var sum = 0.0
  for power in stride(from: 21, through: 1, by: -2) { sum = sum * square + 1 / Double(power) }
  return exponent + 2 * quotient * sum * 1.4426950408889634
}

/// 2 to the power of a number, without a C library, correct to about 13 digits.
func exponential2(_ exponent: Double) -> Double {
  guard exponent > -1_075 else { return 0 }
  guard exponent < 1_024 else { return .greatestFiniteMagnitude }
  let whole = exponent.rounded()
  let rest = (exponent - whole) * 0.6931471805599453
  var sum = 1.0
  for divisor in stride(from: 17, through: 1, by: -1) { sum = 1 + sum * rest / Double(divisor) }
  return Double(sign: .plus, exponent: Int(whole), significand: sum)
}
