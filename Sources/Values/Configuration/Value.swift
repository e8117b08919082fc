/// The value of a key.
public enum Value: Hashable, Sendable {
  case string(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case array([Value])
  case table([Entry])
  // Dates and times are kept as text in the form of RFC 3339, because no key of the
  // configuration uses them.
  case date(String)
  case time(String)
  case localDateTime(String)
  case zonedDateTime(String)

  /// The type of the value, for messages.
  public var kindName: String {
    switch self {
    case .string: "a string"
    case .integer: "a whole number"
    case .number: "a number"
    case .boolean: "true or false"
    case .array: "an array"
    case .table: "a table"
    case .date: "a date"
    case .time: "a time"
    case .localDateTime, .zonedDateTime: "a date and time"
    }
  }
}

/// A key with its value and its line.
public struct Entry: Hashable, Sendable {
  public let key: String
  public let value: Value
  /// The line of the key, or of the table's heading, counted from 1.
  public let line: Int

  /// Creates an entry.
  public init(key: String, value: Value, line: Int) {
    self.key = key
    self.value = value
    self.line = line
  }
}

/// An error in a document, with its line.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  public let line: Int
  /// A description of the error.
  public let what: String

  /// Creates an error.
  public init(line: Int, _ what: String) {
    self.line = line
    self.what = what
  }

  /// The line and the error: `12: message`.
  public var description: String { "\(line): \(what)" }
}

extension Value: CustomStringConvertible {
  /// The value in TOML syntax.
  public var description: String {
    switch self {
    case .string(let text): Self.quoted(text)
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let value): "\(value)"
    case .array(let values): "[\(values.map(\.description).joined(separator: ", "))]"
    case .table(let entries): "{\(entries.map(\.text).joined(separator: ", "))}"
    case .date(let text), .time(let text), .localDateTime(let text), .zonedDateTime(let text): text
    }
  }

  fileprivate static func quoted(_ text: String) -> String {
    // Regular expressions contain many backslashes, which need no escapes in a literal string.
    let isPlain = text.unicodeScalars.allSatisfy { $0 != "'" && !$0.isHidden }
    if isPlain && text.unicodeScalars.contains("\\") { return "'\(text)'" }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isHidden:
        let digits = String(scalar.value, radix: 16)
        let width = scalar.value > 0xFFFF ? 8 : 4
        result += width == 8 ? "\\U" : "\\u"
        result += String(repeating: "0", count: width - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension Entry {
  /// The entry in TOML syntax.
  var text: String { "\(Self.keyText(key)) = \(value)" }

  /// A key in TOML syntax.
  static func keyText(_ key: String) -> String {
    let isBare = !key.isEmpty && key.utf8.allSatisfy(\.isBareKey)
    return isBare ? key : Value.quoted(key)
  }
}

extension Unicode.Scalar {
  /// Whether it must be escaped. TOML allows C1 controls and characters that reorder a line in a
  /// string, but the text may be printed on a terminal.
  var isHidden: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension ConfigurationFile {
  /// The text of a profile's table. Each table in it has its own heading.
  public static func text(profile name: String, _ entries: [(key: String, value: Value)]) -> String
  {
    var text = "[profile.\(name)]\n"
    var tables = ""
    for (key, value) in entries {
      if case .table(let inner) = value {
        tables += "\n[profile.\(name).\(Entry.keyText(key))]\n"
        tables += inner.map { $0.text + "\n" }.joined()
      } else {
        text += Entry(key: key, value: value, line: 1).text + "\n"
      }
    }
    return text + tables
  }
}
