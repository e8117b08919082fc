/// The value of a key.
public enum Value: Hashable, Sendable {
  case string(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case array([Value])

  /// The kind of value, for messages.
  public var kindName: String {
    switch self {
    case .string: "a string"
    case .integer: "a whole number"
    case .number: "a number"
    case .boolean: "true or false"
    case .array: "an array"
    }
  }
}

/// A key with its value and its line.
public struct Entry: Hashable, Sendable {
  public let key: String
  public let value: Value
  /// Counted from 1.
  public let line: Int

  /// Creates an entry.
  public init(key: String, value: Value, line: Int) {
    self.key = key
    self.value = value
    self.line = line
  }
}

/// A table of a document: `[a.b]` and the entries below it.
public struct Table: Hashable, Sendable {
  /// The components of the name.
  public let path: [String]
  /// The line of the heading, counted from 1.
  public let line: Int
  /// The entries in the order of the document, with unique keys.
  public internal(set) var entries: [Entry] = []
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

  /// `12: what is wrong`.
  public var description: String { "\(line): \(what)" }
}
