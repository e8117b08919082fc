import TextTools

/// Numbers and their units in the bytes of a line.
enum NumberText {
  /// When a comma between digits is a decimal point.
  enum DecimalComma {
    case never
    /// Unless it may separate thousands, as in `1,000`.
    case unlessThousands
    case always
  }

  /// A number, and where its text ends.
  struct Found {
    let value: Double
    let end: Int
  }

  /// The maximum length of a number: a double without exponent has 309 digits before its point.
  static let maximalLength = 512
  /// The maximum length of a unit in bytes.
  static let maximalUnitLength = 16

  /// The powers of ten that a double holds exactly.
  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// The number that begins at a position: decimal, or "nan" or "inf" in any case.
  ///
  /// - Parameter decimalComma: when a comma between digits is a decimal point; it never is if
  ///   another comma or point between digits follows, as in `1,2,3`.
  /// - Returns: nil if there is none. A hexadecimal number, and a word that only begins like
  ///   "inf", are none.
  static func number(
    in line: UnsafeRawBufferPointer, from start: Int, decimalComma: DecimalComma = .never
  ) -> Found? {
    var index = start
    let isNegative = index < line.count && line[index] == UInt8(ascii: "-")
    if isNegative || index < line.count && line[index] == UInt8(ascii: "+") { index += 1 }
    var mantissa: UInt64 = 0
    // Digits of the mantissa, without leading zeros.
    var significant = 0
    var digits = 0
    var exponent = 0
    while index < line.count, case let digit = line[index] &- 0x30, digit < 10 {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      if mantissa != 0 { significant += 1 }
      (digits, index) = (digits + 1, index + 1)
    }
    let hasComma =
      decimalComma != .never && digits > 0 && isDecimalComma(in: line, at: index)
      && (decimalComma == .always || !hasThousands(in: line, from: start))
    if hasComma || index < line.count && line[index] == UInt8(ascii: ".") {
      index += 1
      while index < line.count, case let digit = line[index] &- 0x30, digit < 10 {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        if mantissa != 0 { significant += 1 }
        (digits, exponent, index) = (digits + 1, exponent - 1, index + 1)
      }
    }
    guard digits > 0 else { return word(in: line, from: start) }
    if index < line.count, line[index] | 0x20 == UInt8(ascii: "x"), digits == 1, mantissa == 0,
      exponent == 0
    {
      return nil
    }
    if let (power, end) = Self.exponent(in: line, from: index) {
      (exponent, index) = (exponent + power, end)
    }
    guard index - start <= maximalLength else { return nil }
    // Both factors are exact, so the result is rounded once, as it must be (W. D. Clinger, "How to
    // read floating point numbers accurately").
    if significant <= 15, -22...22 ~= exponent {
      let magnitude =
        exponent < 0 ? Double(mantissa) / powers[-exponent] : Double(mantissa) * powers[exponent]
      return Found(value: isNegative ? -magnitude : magnitude, end: index)
    }
    let text = String(
      decoding: line[start..<index].lazy.map(withPoint), as: UTF8.self)
    return Double(text).map { Found(value: $0, end: index) }
  }

  /// A byte of a number, with a point for a comma.
  static func withPoint(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: ",") ? UInt8(ascii: ".") : byte
  }

  /// Whether the digits at a position may have thousands separators: one to three digits, of
  /// which the first is not 0, a comma, and three digits.
  static func hasThousands(in line: UnsafeRawBufferPointer, from start: Int) -> Bool {
    var index = start
    if index < line.count, "+-".utf8.contains(line[index]) { index += 1 }
    let comma = digitsEnd(in: line, from: index)
    guard 1...3 ~= comma - index, line[index] != UInt8(ascii: "0"), comma < line.count,
      line[comma] == UInt8(ascii: ",")
    else { return false }
    return digitsEnd(in: line, from: comma + 1) == comma + 4
  }

  /// Whether a number in a line has a decimal point. A date, a time of day and a version have no
  /// such number: `24.12.2025`, `12:00:01.5`, `v1.2`.
  static func hasPoint(in line: UnsafeRawBufferPointer) -> Bool {
    let point = UInt8(ascii: ".")
    return line.indices.contains { index in
      guard line[index] == point, index > 0, line[index - 1].isDigit else { return false }
      let end = digitsEnd(in: line, from: index + 1)
      guard end > index + 1, end == line.count || line[end] != point else { return false }
      var start = index
      while start > 0, line[start - 1].isDigit { start -= 1 }
      return start == 0 || !line[start - 1].isWord && !".:".utf8.contains(line[start - 1])
    }
  }

  private static func digitsEnd(in line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = start
    while end < line.count, line[end].isDigit { end += 1 }
    return end
  }

  /// Whether a comma before digits is at a position, and not another one or a point behind them.
  private static func isDecimalComma(in line: UnsafeRawBufferPointer, at index: Int) -> Bool {
    guard index < line.count, line[index] == UInt8(ascii: ",") else { return false }
    let end = digitsEnd(in: line, from: index + 1)
    guard end > index + 1 else { return false }
    return end == line.count || !",.".utf8.contains(line[end])
      || digitsEnd(in: line, from: end + 1) == end + 1
  }

  private static func exponent(
    in line: UnsafeRawBufferPointer, from start: Int
  ) -> (power: Int, end: Int)? {
    guard start < line.count, line[start] | 0x20 == UInt8(ascii: "e") else { return nil }
    var index = start + 1
    guard index < line.count else { return nil }
    let isNegative = line[index] == UInt8(ascii: "-")
    if isNegative || line[index] == UInt8(ascii: "+") { index += 1 }
    let first = index
    var power = 0
    while index < line.count, line[index].isDigit {
      // More than a double can hold, in either direction.
      power = min(power * 10 + Int(line[index] - 0x30), 100_000)
      index += 1
    }
    return index > first ? (isNegative ? -power : power, index) : nil
  }

  /// "nan", "inf" or "infinity" with a sign, as printf(3) writes them.
  private static func word(in line: UnsafeRawBufferPointer, from start: Int) -> Found? {
    var first = start
    let isNegative = first < line.count && line[first] == UInt8(ascii: "-")
    if isNegative || first < line.count && line[first] == UInt8(ascii: "+") { first += 1 }
    var end = first
    while end < line.count, line[end].isWord { end += 1 }
    func reads(_ word: StaticString) -> Bool {
      line[first..<end].elementsEqual(word.bytes) { $0 | 0x20 == $1 }
    }
    if reads("nan") { return Found(value: .nan, end: end) }
    guard reads("inf") || reads("infinity") else { return nil }
    return Found(value: isNegative ? -.infinity : .infinity, end: end)
  }

  /// Units that are words. After a number and a blank, none of them begins the next name.
  private static let units: [StaticString] = [
    "V", "mV", "uV", "kV", "A", "mA", "uA", "W", "mW", "kW", "Wh", "mAh", "Ohm", "ohm", "ohms", "C",
    "F", "K", "Hz", "kHz", "MHz", "s", "ms", "us", "m", "mm", "cm", "km", "m/s", "Pa",
    "hPa", "kPa", "bar", "mbar", "g", "kg", "mg", "N", "lx", "lux", "dB", "dBm", "ppm", "ppb",
    "rpm", "RPM", "deg", "rad", "kB", "KB", "MB", "bytes", "counts", "nA", "kOhm", "GHz", "ns",
    "Ah", "psi", "uT", "mT", "dps", "rad/s", "deg/s", "m/s2", "m/s^2", "km/h", "degC", "degF",
  ]

  static func isUnit(_ word: Slice<UnsafeRawBufferPointer>) -> Bool {
    units.contains { word.elementsEqual($0.bytes) }
  }

  /// The end of the unit that begins at a position; the position itself if there is none.
  ///
  /// A unit begins with a letter, "%", "*" (for the degree of "*C") or a character beyond ASCII. A
  /// digit can only be a power at its end, as in "m/s2": "12ab34" is no number.
  static func unitEnd(in line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = start
    while end < line.count, end - start <= maximalUnitLength {
      let byte = line[end]
      if byte.isLetter || byte >= 0x80 || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "*") {
        end += 1
      } else if end > start, byte == UInt8(ascii: "/") || byte == UInt8(ascii: "^") {
        end += 1
      } else if end > start, byte == UInt8(ascii: "2") || byte == UInt8(ascii: "3"),
        end + 1 == line.count || !line[end + 1].isWord
      {
        end += 1
        break
      } else {
        break
      }
    }
    return end - start <= maximalUnitLength ? end : start
  }
}

extension UInt8 {
  var isDigit: Bool { self &- 0x30 < 10 }
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
  /// Whether the byte is an ASCII letter, a digit or an underscore.
  var isWord: Bool { isLetter || isDigit || self == UInt8(ascii: "_") }
  /// Whether the byte is a space or a tab.
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
