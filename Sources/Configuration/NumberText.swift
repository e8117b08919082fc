/// A number in TOML's syntax.
struct NumberText {
  let value: Value

  /// Parses a number; nil if the word is not one.
  init?(_ word: String) {
    guard Self.underscoresStandBetweenDigits(in: word) else { return nil }
    let plain = String(word.filter { $0 != "_" })
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where plain.hasPrefix(prefix) {
      let digits = plain.dropFirst(2)
      // Int.init also accepts a sign.
      guard digits.first?.isHexDigit == true, let number = Int(digits, radix: radix) else {
        return nil
      }
      value = .integer(number)
      return
    }
    let unsigned = plain.hasPrefix("+") || plain.hasPrefix("-") ? plain.dropFirst() : plain[...]
    guard let first = unsigned.utf8.first, Self.isDigit(first) else { return nil }
    let whole = unsigned.prefix { $0.utf8.allSatisfy(Self.isDigit) }
    guard whole == "0" || !whole.hasPrefix("0") else { return nil }
    if whole.count == unsigned.count {
      guard let number = Int(plain) else { return nil }
      value = .integer(number)
    } else {
      guard Self.isFraction(unsigned.dropFirst(whole.count)), let number = Double(plain),
        number.isFinite
      else { return nil }
      value = .number(number)
    }
  }

  /// Whether a text is a fraction with an optional exponent: `.25`, `e3`, `.25e-3`.
  private static func isFraction(_ text: Substring) -> Bool {
    var rest = text
    if rest.first == "." {
      rest = rest.dropFirst()
      let digits = rest.prefix { $0.utf8.allSatisfy(isDigit) }
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(digits.count)
    }
    guard let exponent = rest.first else { return true }
    guard exponent == "e" || exponent == "E" else { return false }
    rest = rest.dropFirst()
    if rest.first == "+" || rest.first == "-" { rest = rest.dropFirst() }
    return !rest.isEmpty && rest.utf8.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func underscoresStandBetweenDigits(in word: String) -> Bool {
    let bytes = Array(word.utf8)
    func isDigit(_ index: Int) -> Bool {
      bytes.indices.contains(index) && Character(Unicode.Scalar(bytes[index])).isHexDigit
    }
    return bytes.indices.allSatisfy { index in
      bytes[index] != UInt8(ascii: "_") || (isDigit(index - 1) && isDigit(index + 1))
    }
  }
}
