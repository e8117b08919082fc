/// A date, a time, or both. TOML uses the forms of RFC 3339.
struct DateTimeText {
  let value: Value

  /// Parses a date or time; nil if the word is not one.
  init?(_ word: ArraySlice<UInt8>) {
    var rest = word
    let hasDate = Self.takeDate(&rest)
    let hasTime = !hasDate || !rest.isEmpty
    if hasDate, let separator = rest.popFirst() {
      guard separator | 0x20 == UInt8(ascii: "t") || separator == UInt8(ascii: " ") else {
        return nil
      }
    }
    guard !hasTime || Self.takeTime(&rest) else { return nil }
    let hasZone = hasDate && hasTime && Self.takeZone(&rest)
    guard rest.isEmpty else { return nil }
    let letters = word.map { byte in
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "t"): UInt8(ascii: "T")
      case UInt8(ascii: "z"): UInt8(ascii: "Z")
      default: byte
      }
    }
    let text = String(decoding: letters, as: UTF8.self)
    value =
      switch (hasDate, hasTime) {
      case (true, false): .date(text)
      case (false, _): .time(text)
      case (true, true): hasZone ? .zonedDateTime(text) : .localDateTime(text)
      }
  }

  /// Skips `1979-05-27`.
  private static func takeDate(_ rest: inout ArraySlice<UInt8>) -> Bool {
    var date = rest
    guard let year = takeNumber(4, 0...9999, &date), take("-", &date),
      let month = takeNumber(2, 1...12, &date), take("-", &date),
      takeNumber(2, 1...dayCount(year, month), &date) != nil
    else { return false }
    rest = date
    return true
  }

  private static func dayCount(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Skips `07:32:00.5`.
  private static func takeTime(_ rest: inout ArraySlice<UInt8>) -> Bool {
    // RFC 3339 allows a leap second.
    guard takeNumber(2, 0...23, &rest) != nil, take(":", &rest),
      takeNumber(2, 0...59, &rest) != nil, take(":", &rest),
      takeNumber(2, 0...60, &rest) != nil
    else { return false }
    guard take(".", &rest) else { return true }
    let digits = rest.prefix { $0.digit(radix: 10) != nil }
    rest = rest.dropFirst(digits.count)
    return !digits.isEmpty
  }

  /// Skips `Z` or `-07:00`.
  private static func takeZone(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if take("Z", &rest) || take("z", &rest) { return true }
    var zone = rest
    guard take("+", &zone) || take("-", &zone), takeNumber(2, 0...23, &zone) != nil,
      take(":", &zone), takeNumber(2, 0...59, &zone) != nil
    else { return false }
    rest = zone
    return true
  }

  private static func take(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private static func takeNumber(
    _ digitCount: Int, _ range: ClosedRange<Int>, _ rest: inout ArraySlice<UInt8>
  ) -> Int? {
    guard rest.count >= digitCount else { return nil }
    var number = 0
    for byte in rest.prefix(digitCount) {
      guard let digit = byte.digit(radix: 10) else { return nil }
      number = number * 10 + digit
    }
    rest.removeFirst(digitCount)
    return range.contains(number) ? number : nil
  }
}
