/// A number in TOML's syntax.
struct TOMLNumber {
  let value: Value

  /// Parses a number; nil if the word is not one, or does not fit into 64 bits.
  init?(_ word: ArraySlice<UInt8>) {
    let hasSign = word.first == UInt8(ascii: "-") || word.first == UInt8(ascii: "+")
    let isNegative = word.first == UInt8(ascii: "-")
    var rest = hasSign ? word.dropFirst() : word
    if rest.elementsEqual("inf".utf8) {
      value = .number(isNegative ? -.infinity : .infinity)
      return
    }
    if rest.elementsEqual("nan".utf8) {
      value = .number(.nan)
      return
    }
    if !hasSign, let radix = Self.readRadix(&rest) {
      let digits = Self.readDigits(&rest, radix: radix)
      guard rest.isEmpty, let number = Self.integer(digits, radix: radix, isNegative: false) else {
        return nil
      }
      value = .integer(number)
      return
    }
    let whole = Self.readDigits(&rest)
    guard whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
    if rest.isEmpty {
      guard let number = Self.integer(whole, radix: 10, isNegative: isNegative) else { return nil }
      value = .integer(number)
      return
    }
    guard !whole.isEmpty, Self.isFraction(rest) else { return nil }
    let plain = word.filter { $0 != UInt8(ascii: "_") }
    guard let number = Double(String(decoding: plain, as: UTF8.self)) else { return nil }
    value = .number(number)
  }

  /// Whether a text is a fraction with an optional exponent: `.25`, `e3`, `.25e-3`.
  private static func isFraction(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard !readDigits(&rest).isEmpty else { return false }
    }
    guard let exponent = rest.popFirst() else { return true }
    guard exponent | 0x20 == UInt8(ascii: "e") else { return false }
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    return !readDigits(&rest).isEmpty && rest.isEmpty
  }

  /// Skips `0x`, `0o` or `0b`.
  private static func readRadix(_ rest: inout ArraySlice<UInt8>) -> Int? {
    guard rest.count >= 2, rest[rest.startIndex] == UInt8(ascii: "0") else { return nil }
    let radix: Int
    switch rest[rest.startIndex + 1] {
    case UInt8(ascii: "x"): radix = 16
    case UInt8(ascii: "o"): radix = 8
    case UInt8(ascii: "b"): radix = 2
    default: return nil
    }
    rest.removeFirst(2)
    return radix
  }

  /// Skips digits, with optional single underscores between them.
  private static func readDigits(
    _ rest: inout ArraySlice<UInt8>, radix: Int = 10
  ) -> ArraySlice<UInt8> {
    func isDigit(_ index: Int) -> Bool {
      index < rest.endIndex && rest[index].digit(radix: radix) != nil
    }
    var end = rest.startIndex
    while isDigit(end) {
      end += 1
      if end < rest.endIndex, rest[end] == UInt8(ascii: "_"), isDigit(end + 1) { end += 1 }
    }
    let digits = rest[..<end]
    rest = rest[end...]
    return digits
  }

  /// The value of digits; nil if there are none, or if it does not fit into 64 bits.
  private static func integer(
    _ digits: ArraySlice<UInt8>, radix: Int, isNegative: Bool
  ) -> Int? {
    guard !digits.isEmpty else { return nil }
    var number = 0
    for byte in digits {
      guard let digit = byte.digit(radix: radix) else { continue }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: radix)
      let (sum, isTooLargeToo) = product.addingReportingOverflow(isNegative ? -digit : digit)
      guard !isTooLarge, !isTooLargeToo else { return nil }
      number = sum
    }
    return number
  }
}

extension UInt8 {
  /// The value of a digit; nil if the byte is not a digit of this radix.
  func digit(radix: Int) -> Int? {
    let digit: Int
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(self) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = Int(self) - 0x61 + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = Int(self) - 0x41 + 10
    default: return nil
    }
    return digit < radix ? digit : nil
  }
}
