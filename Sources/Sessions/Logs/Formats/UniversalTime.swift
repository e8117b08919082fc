import TextTools

/// A point in universal time in the form of RFC 3339, with
/// microseconds: `2026-11-21T06:31:00.123456Z`.
enum UniversalTime {
  /// Appends a time.
  ///
  /// - Parameter time: the time in nanoseconds since 1970. Fractions of a
  ///   microsecond are truncated.
  static func append(_ time: UInt64, to output: inout [UInt8]) {
    let second = time / 1_000_000_000
    let date = civil(day: Int(second / 86_400))
    output.append(decimal: UInt64(date.year), width: 4)
    output.append(UInt8(ascii: "-"))
    output.append(decimal: UInt64(date.month), width: 2)
    output.append(UInt8(ascii: "-"))
    output.append(decimal: UInt64(date.day), width: 2)
    let clock: [(UInt8, UInt64)] = [
      (UInt8(ascii: "T"), second / 3_600 % 24), (UInt8(ascii: ":"), second / 60 % 60),
      (UInt8(ascii: ":"), second % 60),
    ]
    for (separator, number) in clock {
      output.append(separator)
      output.append(decimal: number, width: 2)
    }
    output.append(UInt8(ascii: "."))
    output.append(decimal: time / 1_000 % 1_000_000, width: 6)
    output.append(UInt8(ascii: "Z"))
  }

  /// A time as text, in the form of ``append(_:to:)``.
  static func text(_ time: UInt64) -> String {
    var output: [UInt8] = []
    append(time, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Parses an RFC 3339 time with any offset and up to nine digits after the decimal point.
  ///
  /// - Returns: the time in nanoseconds since 1970; nil for any other text, for a time before 1970,
  ///   and for a time that does not fit into 64 bits (from the year 2554 on).
  static func nanoseconds(parsing text: some StringProtocol) -> UInt64? {
    var rest = Array(text.utf8)[...]
    guard let year = number(4, from: &rest), skip("-", in: &rest),
      let month = number(2, from: &rest), skip("-", in: &rest),
      let day = number(2, from: &rest), skip("Tt ", in: &rest),
      let hour = number(2, from: &rest), skip(":", in: &rest),
      let minute = number(2, from: &rest), skip(":", in: &rest),
      let second = number(2, from: &rest),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    guard let fraction = fraction(from: &rest), let offset = offset(from: &rest), rest.isEmpty
    else { return nil }
    let days = Self.day(year: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    guard let whole = UInt64(exactly: seconds) else { return nil }
    let (product, isTooLate) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isPastEnd) = product.addingReportingOverflow(fraction)
    return isTooLate || isPastEnd ? nil : sum
  }

  // MARK: Parts of a text

  private static func number(_ digits: Int, from text: inout ArraySlice<UInt8>) -> Int? {
    let part = text.prefix(digits)
    guard part.count == digits, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    text = text.dropFirst(digits)
    return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func skip(_ any: String, in text: inout ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, any.utf8.contains(first) else { return false }
    text = text.dropFirst()
    return true
  }

  /// Parses the fraction as nanoseconds; zero if there is no decimal point.
  private static func fraction(from text: inout ArraySlice<UInt8>) -> UInt64? {
    guard skip(".", in: &text) else { return 0 }
    let digits = text.prefix { (0x30...0x39).contains($0) }
    guard (1...9).contains(digits.count) else { return nil }
    text = text.dropFirst(digits.count)
    let read = digits.reduce(0 as UInt64) { $0 * 10 + UInt64($1 - 0x30) }
    return (digits.count..<9).reduce(read) { number, _ in number * 10 }
  }

  /// Parses the offset as seconds ahead of universal time.
  private static func offset(from text: inout ArraySlice<UInt8>) -> Int? {
    if skip("Zz", in: &text) { return 0 }
    let sign = text.first == UInt8(ascii: "-") ? -1 : 1
    guard skip("+-", in: &text), let hours = number(2, from: &text), skip(":", in: &text),
      let minutes = number(2, from: &text), hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }

  // MARK: The calendar

  // Days are counted from March, so that the leap day is the last day of its year. Divisions alone
  // then give years of 365 or 366 days and cycles of four, a hundred and 400 years.

  /// The date of a day, counted from 1 January 1970.
  private static func civil(day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468  // counted from 1 March of the year 0
    let (cycle, dayOfCycle) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// The day of a date, counted from 1 January 1970.
  private static func day(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
