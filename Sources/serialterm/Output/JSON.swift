import PlainText
import TerminalUI

/// A JSON value and its text. See RFC 8259.
///
/// The text is printable for any strings in the value. A reader gets the same strings back, and the text cannot
/// control a terminal.
indirect enum JSON {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  /// The members, in the order in which a person should read them.
  case object([(String, JSON)])

  /// Makes a string, or null if there is none.
  init(_ string: (some StringProtocol)?) { self = string.map { .string(String($0)) } ?? .null }
}

extension JSON: CustomStringConvertible {
  /// The text in one line, without spaces.
  var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): Self.quoted(text)
    case .array(let elements):
      "[\(elements.map(\.description).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0)):\($1)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isShownAsItself: result.unicodeScalars.append(scalar)
      default:
        // A scalar beyond U+FFFF becomes a surrogate pair.
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return result + "\""
  }
}

extension JSON {
  /// Parses a text; see RFC 8259. If two members have the same name, the last one counts.
  ///
  /// - Throws: ``ParsingError``.
  init(parsing text: String) throws(ParsingError) {
    var reader = JSONReader(text)
    self = try reader.read()
  }

  /// An error in a text that is not JSON.
  struct ParsingError: Error, Hashable, CustomStringConvertible {
    /// The position of the error in bytes, counted from 1.
    let position: Int

    var description: String { "not JSON: error at byte \(position)" }
  }

  /// A member of an object.
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.0 == name }?.1
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }

  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  var integer: Int? { if case .integer(let value) = self { value } else { nil } }

  var double: Double? {
    if case .number(let value) = self { value } else { integer.map(Double.init) }
  }
}

/// A parser for JSON text.
private struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0

  private static let deepest = 64

  init(_ text: String) { bytes = Array(text.utf8) }

  private var error: JSON.ParsingError { JSON.ParsingError(position: position + 1) }
  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func read() throws(JSON.ParsingError) -> JSON {
    let value = try value(depth: 0)
    skipBlanks()
    guard peek == nil else { throw error }
    return value
  }

  private mutating func skipBlanks() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard peek == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ scalar: Unicode.Scalar) throws(JSON.ParsingError) {
    guard take(scalar) else { throw error }
  }

  private mutating func value(depth: Int) throws(JSON.ParsingError) -> JSON {
    guard depth < Self.deepest else { throw error }
    if take("{") { return .object(try members(depth: depth)) }
    if take("[") { return .array(try elements(depth: depth)) }
    if take("\"") { return .string(try text()) }
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
    guard !take("}") else { return members }
    repeat {
      try expect("\"")
      let name = try text()
      try expect(":")
      members.append((name, try value(depth: depth + 1)))
    } while take(",")
    try expect("}")
    return members
  }

  private mutating func elements(depth: Int) throws(JSON.ParsingError) -> [JSON] {
    var elements: [JSON] = []
    guard !take("]") else { return elements }
    repeat { elements.append(try value(depth: depth + 1)) } while take(",")
    try expect("]")
    return elements
  }

  // MARK: Strings

  private mutating func text() throws(JSON.ParsingError) -> String {
    var text: [UInt8] = []
    while let byte = peek, byte >= 0x20 {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escape()
      default: text.append(byte)
      }
    }
    throw error
  }

  private mutating func escape() throws(JSON.ParsingError) -> [UInt8] {
    guard let byte = peek else { throw error }
    position += 1
    switch byte {
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
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
