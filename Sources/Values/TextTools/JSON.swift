/// A JSON value and its text. See RFC 8259.
///
/// The text is printable for any strings in the value. A reader gets the same strings back, and the
/// text cannot control a terminal.
package indirect enum JSON {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  /// The members, in the order in which a person should read them.
  case object([(String, JSON)])

  /// Makes a string, or null if there is none.
  package init(_ string: (some StringProtocol)?) {
    self = string.map { .string(String($0)) } ?? .null
  }
}

extension JSON: CustomStringConvertible {
  /// The text in one line, without spaces.
  package var description: String {
    var output: [UInt8] = []
    append(to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private func append(to output: inout [UInt8]) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .integer(let value): output += "\(value)".utf8
    case .number(let value): output += "\(value)".utf8
    case .string(let text): Self.append(text, escaping: .hidden, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.append(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (index, (name, value)) in members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.append(name, escaping: .hidden, to: &output)
        output.append(UInt8(ascii: ":"))
        value.append(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }
}

extension JSON {
  /// The characters of a string that are written as escapes.
  package enum Escaping {
    /// Those that RFC 8259 demands, and DEL.
    case controls
    /// Every character that is not shown as itself: the text cannot control a terminal.
    case hidden
  }

  /// Appends a string with its quotation marks, in UTF-8.
  package static func append(
    _ text: String, escaping: Escaping, to output: inout [UInt8]
  ) {
    output.append(UInt8(ascii: "\""))
    switch escaping {
    case .controls: for byte in text.utf8 { append(byte, to: &output) }
    case .hidden:
      for scalar in text.unicodeScalars {
        if scalar.isASCII {
          append(UInt8(scalar.value), to: &output)
        } else if scalar.isShownAsItself {
          output += String(scalar).utf8
        } else {
          // A scalar beyond U+FFFF becomes a surrogate pair.
          for unit in String(scalar).utf16 { appendEscape(unit, to: &output) }
        }
      }
    }
    output.append(UInt8(ascii: "\""))
  }

  /// Appends a character of ASCII, or a byte of another character as it is.
  private static func append(_ byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      output.append(UInt8(ascii: "\\"))
      output.append(byte)
    case UInt8(ascii: "\n"): output += "\\n".utf8
    case UInt8(ascii: "\r"): output += "\\r".utf8
    case UInt8(ascii: "\t"): output += "\\t".utf8
    case 0x00..<0x20, 0x7F: appendEscape(UInt16(byte), to: &output)
    default: output.append(byte)
    }
  }

  private static func appendEscape(_ unit: UInt16, to output: inout [UInt8]) {
    let digits = String(unit, radix: 16)
    output += "\\u".utf8
    output += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
    output += digits.utf8
  }
}

extension JSON {
  /// Parses a text; see RFC 8259. If two members have the same name, the last one counts.
  ///
  /// - Throws: ``ParsingError``.
  package init(parsing text: String) throws(ParsingError) {
    try self.init(parsing: Array(text.utf8)[...])
  }

  /// Parses a text in UTF-8.
  ///
  /// - Throws: ``ParsingError``, also for strings that are not UTF-8.
  package init(parsing text: ArraySlice<UInt8>) throws(ParsingError) {
    var reader = JSONReader(text)
    self = try reader.read()
  }

  /// An error in a text that is not JSON.
  package struct ParsingError: Error, Hashable, CustomStringConvertible {
    /// The position of the error in bytes, counted from 1.
    package let position: Int

    package var description: String { "not JSON: error at byte \(position)" }
  }

  /// A member of an object.
  package subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.0 == name }?.1
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }

  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  package var integer: Int? { if case .integer(let value) = self { value } else { nil } }

  package var double: Double? {
    if case .number(let value) = self { value } else { integer.map(Double.init) }
  }
}

/// A parser for JSON text.
private struct JSONReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  private static let deepest = 64

  init(_ text: ArraySlice<UInt8>) { (bytes, position) = (text, text.startIndex) }

  private var error: JSON.ParsingError {
    JSON.ParsingError(position: position - bytes.startIndex + 1)
  }
  private var peek: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  mutating func read() throws(JSON.ParsingError) -> JSON {
    let value = try value(depth: 0)
    skipBlanks()
    guard peek == nil else { throw error }
    return value
  }

  private mutating func skipBlanks() {
    while let byte = peek,
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
    {
      position += 1
    }
  }

  private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard peek == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ scalar: Unicode.Scalar) throws(JSON.ParsingError) {
    guard consume(scalar) else { throw error }
  }

  private mutating func value(depth: Int) throws(JSON.ParsingError) -> JSON {
    guard depth < Self.deepest else { throw error }
    if consume("{") { return .object(try members(depth: depth)) }
    if consume("[") { return .array(try elements(depth: depth)) }
    if consume("\"") { return .string(try text()) }
    let start = position
    while let byte = peek, !" \t\r\n,:]}\"{[".utf8.contains(byte) { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true", "false": return .bool(word == "true")
    default:
      guard let number = Self.number(word) else {
        position = start
        throw error
      }
      return number
    }
  }

  private static func number(_ word: String) -> JSON? {
    let digits = word.drop { $0 == "-" }
    guard digits.first?.isNumber == true,
      word.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) })
    else { return nil }
    if let number = Int(word) { return .integer(number) }
    return Double(word).flatMap { $0.isFinite ? .number($0) : nil }
  }

  private mutating func members(depth: Int) throws(JSON.ParsingError) -> [(String, JSON)] {
    var members: [(String, JSON)] = []
    guard !consume("}") else { return members }
    repeat {
      try expect("\"")
      let name = try text()
      try expect(":")
      members.append((name, try value(depth: depth + 1)))
    } while consume(",")
    try expect("}")
    return members
  }

  private mutating func elements(depth: Int) throws(JSON.ParsingError) -> [JSON] {
    var elements: [JSON] = []
    guard !consume("]") else { return elements }
    repeat { elements.append(try value(depth: depth + 1)) } while consume(",")
    try expect("]")
    return elements
  }

  // MARK: Strings

  private mutating func text() throws(JSON.ParsingError) -> String {
    var text: [UInt8] = []
    while true {
      let plain = bytes[position...].prefix {
        $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
      text += plain
      position = plain.endIndex
      guard let byte = peek, byte >= 0x20 else { throw error }
      position += 1
      if byte == UInt8(ascii: "\\") {
        text += try escape()
      } else {
        guard let text = String(validating: text, as: UTF8.self) else { throw error }
        return text
      }
    }
  }

  private mutating func escape() throws(JSON.ParsingError) -> [UInt8] {
    guard let byte = peek else { throw error }
    position += 1
    switch byte {
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [UInt8(ascii: "\n")]
    case UInt8(ascii: "r"): return [UInt8(ascii: "\r")]
    case UInt8(ascii: "t"): return [UInt8(ascii: "\t")]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "u"):
      var units = [try unit()]
      if UTF16.isLeadSurrogate(units[0]), bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        units.append(try unit())
      }
      // A surrogate without its other half becomes U+FFFD.
      return Array(String(decoding: units, as: UTF16.self).utf8)
    default: throw error
    }
  }

  private mutating func unit() throws(JSON.ParsingError) -> UInt16 {
    let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
    guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
      let unit = UInt16(digits, radix: 16)
    else { throw error }
    position += 4
    return unit
  }
}
