/// The value of a key.
public enum Value: Hashable, Sendable {
  case string(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case array([Value])
  case table([Entry])
  // Dates and times are kept as text in the form of RFC 3339, because no key of the configuration uses them.
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
