/// A date, a time, or both. TOML uses the forms of RFC 3339.
struct DateTimeText {
  let value: Value

  /// Parses a date or time; nil if the word is not one.
  init?(_ word: ArraySlice<UInt8>) {
    var rest = word
    let hasDate = Self.consumeDate(&rest)
    let hasTime = !hasDate || !rest.isEmpty
    if hasDate, let separator = rest.popFirst() {
      guard separator | 0x20 == UInt8(ascii: "t") || separator == UInt8(ascii: " ") else {
        return nil
      }
    }
    guard !hasTime || Self.consumeTime(&rest) else { return nil }
    let hasZone = hasDate && hasTime && Self.consumeZone(&rest)
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
  private static func consumeDate(_ rest: inout ArraySlice<UInt8>) -> Bool {
    var date = rest
    guard let year = readNumber(4, 0...9999, &date), consume("-", &date),
      let month = readNumber(2, 1...12, &date), consume("-", &date),
      readNumber(2, 1...dayCount(year, month), &date) != nil
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
  private static func consumeTime(_ rest: inout ArraySlice<UInt8>) -> Bool {
    // RFC 3339 allows a leap second.
    guard readNumber(2, 0...23, &rest) != nil, consume(":", &rest),
      readNumber(2, 0...59, &rest) != nil, consume(":", &rest),
      readNumber(2, 0...60, &rest) != nil
    else { return false }
    guard consume(".", &rest) else { return true }
    let digits = rest.prefix { $0.digit(radix: 10) != nil }
    rest = rest.dropFirst(digits.count)
    return !digits.isEmpty
  }

  /// Skips `Z` or `-07:00`.
  private static func consumeZone(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if consume("Z", &rest) || consume("z", &rest) { return true }
    var zone = rest
    guard consume("+", &zone) || consume("-", &zone), readNumber(2, 0...23, &zone) != nil,
      consume(":", &zone), readNumber(2, 0...59, &zone) != nil
    else { return false }
    rest = zone
    return true
  }

  private static func consume(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool
  {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private static func readNumber(
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
