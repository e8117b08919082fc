/// What stands behind the equals sign.
public enum Value: Hashable, Sendable {
  case string(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case array([Value])

  /// What kind it is, in words.
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

/// A key with its value, and the line that it stands in.
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

/// A table of a document: `[a.b]`, and what follows it.
public struct Table: Hashable, Sendable {
  /// The parts of its name.
  public let path: [String]
  /// The line of its name, counted from 1.
  public let line: Int
  /// Its entries, in the order of the document; no key is there twice.
  public internal(set) var entries: [Entry] = []
}

/// What is wrong in a document, and where.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  public let line: Int
  /// What is wrong, in words.
  public let what: String

  /// Creates an error.
  public init(line: Int, _ what: String) {
    self.line = line
    self.what = what
  }

  /// `12: what is wrong`.
  public var description: String { "\(line): \(what)" }
}
