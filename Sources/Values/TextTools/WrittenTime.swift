/// A length of time as users write it: a number and a unit, `500ms`, `2s`, `1.5min`; or
/// a number alone.
package struct WrittenTime: Hashable, Sendable {
  /// Its length; finite, 0 or more.
  package let seconds: Double

  /// The forms, for messages and help.
  package static let examples = "500ms, 2s, 5min or 1h"

  /// The units. `min` comes before the `m` of older forms, and `ms` before `s`.
  private static let units: [(suffix: String, seconds: Double)] = [
    ("ms", 0.001), ("min", 60), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400),
  ]

  /// Parses a text.
  ///
  /// - Parameter unit: the length of the unit of a number alone, in seconds; nil if a
  ///   unit is needed.
  /// - Returns: nil if the text is no length of time.
  package init?(_ text: String, unit: Double? = 1) {
    let seconds: Double?
    if let number = Double(text) {
      seconds = unit.map { number * $0 }
    } else if let unit = Self.units.first(where: { text.hasSuffix($0.suffix) }) {
      let digits = text.dropLast(unit.suffix.count)
      // Double.init accepts signs, exponents and names too.
      let isNumber = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
      seconds = isNumber ? Double(digits).map { $0 * unit.seconds } : nil
    } else {
      seconds = nil
    }
    guard let seconds, seconds.isFinite, seconds >= 0 else { return nil }
    self.seconds = seconds
  }

  /// The length in milliseconds; nil if it is not a whole number of them, or very large.
  package var wholeMilliseconds: Int? {
    // Decimal fractions of seconds are not exact.
    let milliseconds = (seconds * 1_000).rounded()
    guard abs(seconds * 1_000 - milliseconds) < 1e-6, milliseconds < 1e15 else { return nil }
    return Int(milliseconds)
  }
}
