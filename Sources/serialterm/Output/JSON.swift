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
