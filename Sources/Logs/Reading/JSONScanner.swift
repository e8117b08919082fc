/// Parses a JSON object, and returns its string members. See RFC 8259.
///
/// Other members are checked and skipped.
struct JSONScanner {
  /// The maximum depth of nested values.
  private static let maximalDepth = 64

  private var rest: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>) { rest = text }

  /// Returns the string members; nil if the text is not a single object.
  mutating func stringsOfObject() -> [String: String]? {
    skipSpace()
    var strings: [String: String] = [:]
    guard take("{"), members(depth: 0, { name, value in strings[name] = value }) else { return nil }
    skipSpace()
    return rest.isEmpty ? strings : nil
  }

  /// Parses the members after the opening brace, and the closing brace.
  private mutating func members(
    depth: Int, _ found: (_ name: String, _ value: String?) -> Void
  ) -> Bool {
    skipSpace()
    if take("}") { return true }
    while true {
      skipSpace()
      guard let name = string() else { return false }
      skipSpace()
      guard take(":") else { return false }
      skipSpace()
      if rest.first == UInt8(ascii: "\"") {
        guard let value = string() else { return false }
        found(name, value)
      } else {
        guard skipValue(depth: depth) else { return false }
        found(name, nil)
      }
      skipSpace()
      if take("}") { return true }
      guard take(",") else { return false }
    }
  }

  private mutating func skipValue(depth: Int) -> Bool {
    guard depth < Self.maximalDepth else { return false }
    if take("{") { return members(depth: depth + 1) { _, _ in } }
    if take("[") { return elements(depth: depth + 1) }
    if rest.first == UInt8(ascii: "\"") { return string() != nil }
    for word in ["true", "false", "null"] where rest.starts(with: word.utf8) {
      rest = rest.dropFirst(word.utf8.count)
      return true
    }
    let number = rest.prefix { "+-.0123456789eE".utf8.contains($0) }
    rest = rest.dropFirst(number.count)
    return Double(String(decoding: number, as: UTF8.self)) != nil
  }

  private mutating func elements(depth: Int) -> Bool {
    skipSpace()
    if take("]") { return true }
    while true {
      skipSpace()
      guard skipValue(depth: depth) else { return false }
      skipSpace()
      if take("]") { return true }
      guard take(",") else { return false }
    }
  }

  /// Parses a string from its first quotation mark on; nil if it is not a valid string in UTF-8.
  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var bytes: [UInt8] = []
    while true {
      let plain = rest.prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      bytes += plain
      rest = rest.dropFirst(plain.count)
      if take("\"") { return String(validating: bytes, as: UTF8.self) }
      guard take("\\"), let letter = rest.popFirst() else { return nil }
      switch Unicode.Scalar(letter) {
      case "\"", "\\", "/": bytes.append(letter)
      case "b": bytes.append(0x08)
      case "f": bytes.append(0x0C)
      case "n": bytes.append(0x0A)
      case "r": bytes.append(0x0D)
      case "t": bytes.append(0x09)
      case "u":
        guard let scalar = escapedScalar() else { return nil }
        bytes += Array(String(Character(scalar)).utf8)
      default: return nil
      }
    }
  }

  /// Parses the character of a `\u` escape. For a pair of surrogates, it reads both.
  private mutating func escapedScalar() -> Unicode.Scalar? {
    guard let first = fourDigits() else { return nil }
    guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
    guard take("\\"), take("u"), let second = fourDigits(), (0xDC00..<0xE000).contains(second)
    else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private mutating func fourDigits() -> UInt32? {
    let digits = rest.prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    rest = rest.dropFirst(4)
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func skipSpace() { rest = rest.drop { " \t\r\n".utf8.contains($0) } }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }
}
