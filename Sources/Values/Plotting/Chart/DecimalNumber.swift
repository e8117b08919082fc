/// A decimal number: an integer, and the power of ten that it is multiplied with.
struct DecimalNumber: Hashable, Sendable {
  var integer: Int
  var exponent: Int

  init(_ integer: Int, exponent: Int) {
    (self.integer, self.exponent) = (integer, exponent)
  }

  /// The shortest decimal number that is read as a finite number.
  init(_ value: Double) {
    // The forms are "25.31", "-1e-07" and "1.5e+300".
    let text = "\(value)"
    let parts = text.split(separator: "e")
    var digits = parts.first.map(String.init) ?? ""
    exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    if let point = digits.firstIndex(of: ".") {
      exponent -= digits[point...].dropFirst().count
      digits.remove(at: point)
    }
    integer = Int(digits) ?? 0
    removeZeros()
  }

  /// The nearest number.
  var value: Double { Double("\(integer)e\(exponent)") ?? 0 }

  /// The number, rounded to a maximum number of digits.
  func rounded(toDigits count: Int) -> DecimalNumber {
    var number = self
    var divisor = 1
    while number.integer.magnitude / UInt(divisor) >= UInt(Self.power(of: count)) {
      divisor *= 10
      number.exponent += 1
    }
    let half = divisor / 2 * number.integer.signum()
    number.integer = (number.integer + half) / divisor
    number.removeZeros()
    return number
  }

  private mutating func removeZeros() {
    if integer == 0 { exponent = 0 }
    while integer != 0 && integer % 10 == 0 {
      integer /= 10
      exponent += 1
    }
  }

  /// The number with all of its digits: "-0.25", "1500".
  var plain: String {
    guard integer != 0 else { return "0" }
    let sign = integer < 0 ? "-" : ""
    let digits = "\(integer.magnitude)"
    if exponent >= 0 { return sign + digits + String(repeating: "0", count: exponent) }
    let zeros = String(repeating: "0", count: max(0, 1 - exponent - digits.utf8.count))
    let padded = zeros + digits
    return sign + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
  }

  /// The number with an exponent: "-2.5e-1", "1.5e3".
  var scientific: String {
    guard integer != 0 else { return "0" }
    var number = self
    number.removeZeros()
    let digits = "\(number.integer.magnitude)"
    let exponent = number.exponent + digits.utf8.count - 1
    let fraction = digits.utf8.count > 1 ? ".\(digits.dropFirst())" : ""
    return
      "\(integer < 0 ? "-" : "")\(digits.prefix(1))\(fraction)\(exponent == 0 ? "" : "e\(exponent)")"
  }

  private static func power(of exponent: Int) -> Int {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  /// The texts of several numbers in one form: with an exponent if that is shorter and the
  /// digits are long.
  static func texts(of numbers: [DecimalNumber]) -> [String] {
    // A number as great as 1e308 has no readable text with all of its digits.
    let range = -30...30
    guard numbers.allSatisfy({ range.contains($0.exponent) }) else {
      return numbers.map(\.scientific)
    }
    let plain = numbers.map(\.plain)
    let scientific = numbers.map(\.scientific)
    let width = plain.map(\.utf8.count).max() ?? 0
    return width > 7 && width > scientific.map(\.utf8.count).max() ?? 0 ? scientific : plain
  }
}

extension Double {
  /// The number as people write it, rounded to a maximum number of digits: "25.31",
  /// "1e-9", "-1.5e300", "nan".
  ///
  /// - Parameter digits: the number of digits, 1 to 17. A whole number has up to nine, so that a
  ///   counter is exact.
  public func text(digits: Int = 6) -> String {
    guard isFinite else { return isNaN ? "nan" : (self < 0 ? "-inf" : "inf") }
    let isCounter = magnitude < 1e9 && rounded() == self
    let number = DecimalNumber(self).rounded(toDigits: isCounter ? max(digits, 9) : digits)
    return DecimalNumber.texts(of: [number])[0]
  }
}
